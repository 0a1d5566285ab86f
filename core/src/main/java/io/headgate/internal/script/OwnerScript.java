package io.headgate.internal.script;

import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.State;
import io.headgate.reservation.ReservationRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates batches at the owner of their counters, as the members of a cluster do. Not
 * thread-safe.
 *
 * <p>Time never runs backwards for a counter: it has the latest time at which it was changed, and a
 * batch is evaluated at that time if the clock of this owner, which may have become the owner just
 * now, is behind it.
 */
public final class OwnerScript {
  /** A counter as its owner stores it, for the time of one batch. */
  public interface OwnedCounter {
    /** Returns the time of the last change, in microseconds; far in the past if there was none. */
    long latest();

    /** Returns the state; {@link State#FRESH} if there is none. */
    State state();

    /**
     * Stores a state until it is fresh.
     *
     * @param now the time of the change
     * @param freshAt the time at which it is fresh, both in microseconds
     */
    void store(State next, long now, long freshAt);

    /** Stores a state whose time is not that of a clock, so that it must not expire by one. */
    void storeForTesting(State next, long now);
  }

  /** The record of a reservation as the owner of its counters stores it, for one batch. */
  public interface OwnedReservation {
    /** Returns the record; {@link ReservationRecord#open} if there is none. */
    ReservationRecord record(long expiresAt);

    /**
     * Stores a record until no operation needs it.
     *
     * @param now the time of the change, in microseconds
     * @param given whether the time is not that of a clock, so that it must not expire by one
     */
    void store(ReservationRecord next, long now, boolean given);
  }

  /** The returns to a bucket as its owner stores them, for one batch. */
  public interface OwnedReturns {
    /** Returns the returns; {@link ReturnHistory#NONE} if there are none. */
    ReturnHistory returns();

    /**
     * Stores returns until they expire.
     *
     * @param now the time of the change, in microseconds
     * @param given whether the time is not that of a clock, so that they must not expire by one
     */
    void store(ReturnHistory next, long now, boolean given);
  }

  /** The counters of one partition. Simulations are notified of charges. */
  public interface Counters {
    /** Returns the counter of a name. */
    OwnedCounter counter(String name);

    /**
     * Returns the reservation of a name.
     *
     * @throws IllegalArgumentException if reservations are not kept here
     */
    default OwnedReservation reservation(String name) {
      throw new IllegalArgumentException("reservations are not kept here");
    }

    /**
     * Returns the returns to the bucket of a name.
     *
     * @throws IllegalArgumentException if reservations are not kept here
     */
    default OwnedReturns returns(String name) {
      throw new IllegalArgumentException("reservations are not kept here");
    }

    /** Records that permits were charged, or returned if the cost is negative. */
    default void charged(String key, long cost) {}

    /** Records an operation for the history. */
    default void noted(Supplier<String> operation) {}
  }

  private final ScriptInterpreter interpreter = new ScriptInterpreter(LimitFormat.CALENDARS);

  /** Creates a script without any limit decoded yet. */
  public OwnerScript() {}

  /**
   * Evaluates a batch and stores the changed states.
   *
   * @param names the names of all counters of the batch
   * @param clock the clock of this owner, in microseconds
   * @return the encoded reply, which begins with the time of the evaluation
   * @throws IllegalArgumentException if the batch is malformed; no state is changed then
   */
  public byte[] run(String[] names, byte[] argument, long clock, Counters counters) {
    long given = ScriptInterpreter.timeOf(argument);
    long now = clock;
    var slots = HashMap.<String, Slot>newHashMap(names.length);
    for (var name : names) {
      if (CounterKeys.isOfReservation(name)) continue; // loaded when an operation needs it
      var slot = new Slot(counters.counter(name));
      slots.put(name, slot);
      now = Math.max(now, slot.counter.latest());
    }
    var reservations = new HashMap<String, ReservationSlot>();
    var returns = new HashMap<String, ReturnsSlot>();
    var states = new States(slots, reservations, returns, counters);
    var reply = interpreter.run(names, argument, now, states);
    for (var slot : slots.values()) {
      if (!slot.changed) continue;
      if (given < 0) slot.counter.store(slot.state, now, slot.freshAt);
      else slot.counter.storeForTesting(slot.state, given);
    }
    for (var slot : reservations.values()) {
      if (slot.next == null) continue;
      slot.reservation.store(slot.next, given < 0 ? now : given, given >= 0);
    }
    for (var slot : returns.values()) {
      if (slot.next != null) slot.returns.store(slot.next, given < 0 ? now : given, given >= 0);
    }
    return reply;
  }

  /** Returns the time at which a batch was evaluated, in microseconds, from its reply. */
  public static long timeOf(byte[] reply) {
    return new MessagePackReader(reply).next();
  }

  private static final class Slot {
    final OwnedCounter counter;
    State state;
    long freshAt;
    boolean changed;

    Slot(OwnedCounter counter) {
      this.counter = counter;
      this.state = counter.state();
    }
  }

  private static final class ReservationSlot {
    final OwnedReservation reservation;
    @Nullable ReservationRecord next; // null while it is unchanged

    ReservationSlot(OwnedReservation reservation) {
      this.reservation = reservation;
    }
  }

  private static final class ReturnsSlot {
    final OwnedReturns returns;
    @Nullable ReturnHistory next; // null while it is unchanged

    ReturnsSlot(OwnedReturns returns) {
      this.returns = returns;
    }
  }

  /** The states and reservations of one batch, which are stored after its evaluation. */
  private record States(
      Map<String, Slot> slots,
      Map<String, ReservationSlot> reservations,
      Map<String, ReturnsSlot> returned,
      Counters counters)
      implements ScriptInterpreter.Memory {
    private ReservationSlot reservationSlot(String key) {
      return reservations.computeIfAbsent(
          key, name -> new ReservationSlot(counters.reservation(name)));
    }

    @Override
    public ReservationRecord reservation(String key, long expiresAt) {
      var slot = reservationSlot(key);
      return slot.next == null ? slot.reservation.record(expiresAt) : slot.next;
    }

    @Override
    public void put(String key, ReservationRecord record) {
      reservationSlot(key).next = record;
    }

    private ReturnsSlot returnsSlot(String key) {
      return returned.computeIfAbsent(key, name -> new ReturnsSlot(counters.returns(name)));
    }

    @Override
    public ReturnHistory returns(String key) {
      var slot = returnsSlot(key);
      return slot.next == null ? slot.returns.returns() : slot.next;
    }

    @Override
    public void put(String key, ReturnHistory returns) {
      returnsSlot(key).next = returns;
    }

    private Slot slot(String key) {
      var slot = slots.get(key);
      if (slot == null) throw new IllegalArgumentException("a batch does not declare " + key);
      return slot;
    }

    @Override
    public State get(String key) {
      return slot(key).state;
    }

    @Override
    public void put(String key, State state) {
      throw new UnsupportedOperationException("states are stored with their limit");
    }

    @Override
    public void put(String key, State state, Limit limit) {
      var slot = slot(key);
      if (state.equals(slot.state)) return;
      slot.state = state;
      slot.changed = true;
      slot.freshAt =
          state instanceof HeldState held && limit instanceof Holdable holdable
              ? held.freshAt(holdable)
              : state.freshAt();
    }

    @Override
    public void charged(String key, long cost) {
      counters.charged(key, cost);
    }

    @Override
    public void noted(Supplier<String> operation) {
      counters.noted(operation);
    }
  }
}
