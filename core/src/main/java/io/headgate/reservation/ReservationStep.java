package io.headgate.reservation;

import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationReply.CounterReply;
import io.headgate.reservation.ReservationReply.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One operation on a reservation as a pure function: from its record and the states of its counters
 * to the next ones. A store calls it atomically. The twin of {@code reservation.lua}.
 *
 * <p>Every operation is idempotent except the growth of an update. A settled reservation is never
 * changed again. An expired one can still be settled, which corrects its charge. Ten minutes after
 * its expiry a reservation is unknown to clients. It can still expire if its record is stored,
 * since a stored open record proves that nothing has ended it. Without a record it may have been
 * settled.
 *
 * @param record the record to store; the same as before if nothing changed
 * @param states the states to store, in the order of the command's entries
 * @param returns the returns to the counters to store, in the same order; the same as before if
 *     there was none
 * @param reply the reply to the client
 */
public record ReservationStep(
    ReservationRecord record,
    List<State> states,
    List<ReturnHistory> returns,
    ReservationReply reply) {
  /** Copies the lists. */
  public ReservationStep {
    states = List.copyOf(states);
    returns = List.copyOf(returns);
  }

  /**
   * Applies a command.
   *
   * @param record the stored record, or {@link ReservationRecord#open} if there is none yet
   * @param states the state of each counter, in the order of the command's entries
   * @param returns the earlier returns to each counter, in the same order
   * @param now microseconds of the store's clock
   */
  public static ReservationStep of(
      ReservationRecord record,
      ReservationCommand command,
      List<State> states,
      List<ReturnHistory> returns,
      long now) {
    if (now > record.expiresAt() + ReservationCommand.KEPT_MICROS
        && !(command.action() == Action.EXPIRE && record.isStoredOpen())) {
      return new ReservationStep(record, states, returns, ReservationReply.UNKNOWN);
    }
    return new Run(record, command, states, returns, now).run();
  }

  /** Returns whether a limit's charge can be corrected after it was made. */
  public static boolean isCorrectable(Limit limit) {
    return limit instanceof Holdable;
  }

  private static final class Run {
    private final ReservationRecord before;
    private final ReservationCommand command;
    private final long now;
    private final List<State> states;
    private final List<ReturnHistory> returns;
    private final Map<Integer, Ledger> ledgers;
    private final List<Boolean> exhausted = new ArrayList<>();
    private Status status;
    private long expiresAt;
    private boolean grown;
    private boolean changed = true;

    Run(
        ReservationRecord before,
        ReservationCommand command,
        List<State> states,
        List<ReturnHistory> returns,
        long now) {
      this.before = before;
      this.command = command;
      this.now = now;
      this.states = new ArrayList<>(states);
      this.returns = new ArrayList<>(returns);
      this.ledgers = new HashMap<>(before.ledgers());
      this.status = before.status();
      this.expiresAt = before.expiresAt();
      for (var entry : command.entries()) {
        ledgers.putIfAbsent(entry.reserved().index(), Ledger.of(entry.reserved()));
      }
    }

    ReservationStep run() {
      for (int i = 0; i < states.size(); i++) exhausted.add(remaining(i) == 0);
      switch (status) {
        case OPEN -> open();
        case EXPIRED -> {
          if (command.action() == Action.SETTLE) settle();
          else changed = false;
        }
        case SETTLED, UNKNOWN -> changed = false;
      }
      var next = changed ? new ReservationRecord(status, expiresAt, ledgers) : before;
      var counters = new ArrayList<CounterReply>(states.size());
      for (int i = 0; i < states.size(); i++) {
        var ledger = ledger(i);
        long left = remaining(i);
        counters.add(
            new CounterReply(
                ledger.total(), ledger.used(), left, exhausted.get(i) && left > 0, ledger.grown()));
      }
      return new ReservationStep(
          next, states, returns, new ReservationReply(status, expiresAt, grown, counters));
    }

    private void open() {
      switch (command.action()) {
        case UPDATE -> update();
        case SETTLE -> settle();
        case EXPIRE -> {
          if (now >= expiresAt) expire();
          else changed = false;
        }
      }
    }

    private void update() {
      for (int i = 0; i < states.size(); i++) {
        var entry = command.entries().get(i);
        if (entry.reserved().charge().limit() instanceof SlotLimit slots) {
          states.set(i, slots.renew(states.get(i), now, entry.reserved().charge().holder()));
        } else if (entry.target() != ReservationCommand.UNREPORTED) {
          // A duplicate or an earlier report that arrives late does not lower the usage.
          long used = Math.max(ledger(i).used(), entry.target());
          put(i, ledger(i).withUsed(used));
          if (used > ledger(i).total()) correct(i, used);
        }
      }
      if (command.ttl() > 0) expiresAt = Math.max(expiresAt, now + command.ttl());
      if (command.grows()) grow();
    }

    /** Adds permits to all counters that ask for more, or to none. */
    private void grow() {
      var next = new ArrayList<Step>(states.size());
      for (int i = 0; i < states.size(); i++) {
        var entry = command.entries().get(i);
        var reserved = entry.reserved();
        var step = reserved.charge().withCost(entry.more()).step(states.get(i), now);
        if (entry.more() > 0
            && (!(reserved.charge().limit() instanceof Holdable)
                || !(step.outcome() instanceof Passed)
                || ledger(i).total() + entry.more() > reserved.maxAmount())) {
          return;
        }
        next.add(step);
      }
      for (int i = 0; i < states.size(); i++) {
        long more = command.entries().get(i).more();
        if (more == 0) continue;
        states.set(i, next.get(i).state());
        put(i, ledger(i).grownBy(Ledger.pieceOf(more, states.get(i), now)));
      }
      grown = true;
    }

    private void settle() {
      for (int i = 0; i < states.size(); i++) {
        long target = command.entries().get(i).target();
        if (target != ReservationCommand.UNREPORTED) put(i, ledger(i).withUsed(target));
        end(i, target == ReservationCommand.UNREPORTED ? ledger(i).total() : target);
      }
      status = Status.SETTLED;
    }

    private void expire() {
      for (int i = 0; i < states.size(); i++) {
        end(i, command.entries().get(i).reserved().chargeAtExpiry(ledger(i)));
      }
      status = Status.EXPIRED;
    }

    private void end(int i, long target) {
      var charge = command.entries().get(i).reserved().charge();
      if (charge.limit() instanceof SlotLimit slots) {
        states.set(i, slots.release(states.get(i), now, charge.holder()));
      } else {
        correct(i, target);
      }
    }

    private void correct(int i, long target) {
      var reserved = command.entries().get(i).reserved();
      if (!(reserved.charge().limit() instanceof Holdable limit)) return;
      boolean isLast = command.action() == Action.SETTLE;
      var corrected =
          ledger(i)
              .correctTo(
                  target, limit, reserved.sameLimit(), states.get(i), returns.get(i), isLast, now);
      put(i, corrected.ledger());
      states.set(i, corrected.state());
      returns.set(i, corrected.returns());
    }

    private long remaining(int i) {
      var charge = command.entries().get(i).reserved().charge();
      return charge.withCost(0).step(states.get(i), now).outcome().remaining();
    }

    private Ledger ledger(int i) {
      return Objects.requireNonNull(ledgers.get(command.entries().get(i).reserved().index()));
    }

    private void put(int i, Ledger ledger) {
      ledgers.put(command.entries().get(i).reserved().index(), ledger);
    }
  }
}
