package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.ArrayList;
import java.util.List;

/**
 * A counter's state, and the permits of it that instances hold to spend them by themselves.
 *
 * @param state what has been charged
 * @param capacity of the limit whose permits are held
 * @param holdings at least one; the lease that ends first comes first
 */
public record HeldState(State state, long capacity, List<Hold> holdings) implements State {
  /*
   * Why is nothing ever let through twice?
   *
   * A permit that an instance holds is not charged, but nobody else can have it: others are asked
   * for their own cost and for all that is held together. When the instance says that it has spent
   * some of its permits, these are charged then, which is later than they were spent, and no longer
   * held. So at any moment what is charged and what is held fit the limit together.
   *
   * Now take any span of time. What was spent in it has been charged in it, or is still held at its
   * end. What was charged in it is in the state at its end, as far as the limit counts at all: a
   * bucket's debt less what time has repaid, a window's counts. And that state and what is held fit
   * the limit. So the span has seen no more than the limit allows, however late the word comes.
   *
   * An instance that never says anything again has spent all that it held, as far as anybody can
   * tell: it is charged when the lease ends, and is lost at most once. It is charged at that moment
   * even if nobody looks until later; so the state is the same whenever somebody does.
   *
   * A changed limit takes over holds as it takes over charges: in proportion to the capacity. So the
   * holds and the charges that fit the old limit fit the new one. An instance reports which part of
   * its hold it has spent, which means the same under either limit.
   */

  /** More instances than that hold nothing at one counter: each is looked at by every request. */
  public static final int MOST_HOLDERS = 64;

  /**
   * @param holder who may spend them
   * @param until the end of the lease: from then on they count as spent
   * @param order the {@link HoldRequest#order} of the take that granted them
   */
  public record Hold(long holder, long amount, long until, long order) {
    public Hold {
      Bounds.require(amount > 0 && amount <= Bounds.MAX, "can't hold %d permits", amount);
    }

    Hold withAmount(long amount) {
      return new Hold(holder, amount, until, order);
    }
  }

  public HeldState {
    holdings = List.copyOf(holdings);
    Bounds.require(!(state instanceof HeldState), "what is held can't be held again: %s", state);
    Bounds.require(
        !holdings.isEmpty() && holdings.size() <= MOST_HOLDERS,
        "1 to %d may hold permits of a counter, got %d",
        MOST_HOLDERS,
        holdings.size());
    Bounds.require(capacity >= 1, "permits are held of a limit of at least 1, got %d", capacity);
  }

  /** As {@link Limit#step}, for who holds nothing: what others hold is not to be had. */
  public Step step(Holdable limit, long now, long cost) {
    return step(limit, settled(limit, this, now), now, cost);
  }

  /** Of a state that has been settled. */
  static Step step(Holdable limit, State state, long now, long cost) {
    return state instanceof HeldState held
        ? held.ask(limit, now, cost)
        : limit.step(state, now, cost);
  }

  private Step ask(Holdable limit, long now, long cost) {
    var before = limit.step(state, now, 0);
    var same = new HeldState(before.state(), capacity, holdings);
    long held = total();
    long left = Math.max(0, before.outcome().remaining() - held);
    long reset = same.resetAfter(limit, now);
    if (cost == 0) return new Step(same, new Passed(left, reset, 0));
    if (cost > capacity) return new Step(same, new ExceedsCapacity(left, reset, cost, capacity));
    if (cost > left) return new Step(same, new Refused(left, reset, retryAfter(limit, now, cost)));
    var next = new HeldState(limit.step(state, now, cost).state(), capacity, holdings);
    return new Step(next, new Passed(left - cost, next.resetAfter(limit, now), 0));
  }

  /** As if all that is held stays so; where nothing else will do, when the first lease ends. */
  private long retryAfter(Holdable limit, long now, long cost) {
    long held = total();
    if (cost > limit.capacity() - held) return holdings.getFirst().until() - now;
    return limit.step(state, now, cost + held).outcome() instanceof Refused refused
        ? refused.retryAfter()
        : 0;
  }

  /** The state in the limit's own terms, with the holds charged whose leases are over by now. */
  public static State settled(Holdable limit, State state, long now) {
    if (!(state instanceof HeldState before)) return state;
    var held = before.under(limit, now);
    var charged = held.state;
    int over = 0;
    for (var holding : held.holdings) {
      if (holding.until() > now) break;
      charged = limit.charged(charged, holding.until(), holding.amount());
      over++;
    }
    return of(charged, limit, held.holdings.subList(over, held.holdings.size()));
  }

  /**
   * The same under a changed limit: charges and holds are taken over in proportion.
   *
   * <p>The running total is scaled rather than each hold, so that rounding up adds one permit in
   * all and not one a holder. A hold that is too small for a permit of its own is then part of the
   * one before it.
   */
  private HeldState under(Holdable limit, long now) {
    if (capacity == limit.capacity() && limit.isOwn(state)) return this;
    var scaled = new ArrayList<Hold>(holdings.size());
    long total = 0;
    long before = 0;
    for (var holding : holdings) {
      total += holding.amount();
      long upTo = Utilization.scale(total, capacity, limit.capacity());
      if (upTo > before) {
        scaled.add(holding.withAmount(upTo - before));
      }
      before = upTo;
    }
    return new HeldState(limit.adopt(state, now), limit.capacity(), scaled);
  }

  /**
   * Whether the state was written under another limit and still says something. Only a decision
   * converts such a state: a report or a release may come from an instance that has not seen the
   * change yet, and would turn slots in flight, or the count of a long window, into nothing.
   */
  static boolean isOfAnother(Holdable limit, State state, long now) {
    var charged = bare(state);
    if (charged instanceof Fresh || limit.isOwn(charged)) return false;
    if (charged.freshAt() > now) return true;
    return state instanceof HeldState held && held.holdings.getLast().until() > now;
  }

  /**
   * The state after a report.
   *
   * @param counted whether the report was charged; otherwise the state is of another limit, and is
   *     left as it is until a decision has converted it
   */
  public record Reported(State state, boolean counted) {}

  /**
   * Charges what has been spent elsewhere, room or not, beside what is held.
   *
   * @param cost in permits of {@code limit}
   */
  public static Reported reported(Holdable limit, State state, long now, long cost) {
    if (isOfAnother(limit, state, now)) return new Reported(state, false);
    var settled = settled(limit, state, now);
    var charged = limit.charged(bare(settled), now, cost);
    return new Reported(of(charged, limit, holdings(settled)), true);
  }

  /** What has been charged, without what is held. */
  public static State bare(State state) {
    return state instanceof HeldState held ? held.state : state;
  }

  static List<Hold> holdings(State state) {
    return state instanceof HeldState held ? held.holdings : List.of();
  }

  /** The state by itself if nothing is held. */
  static State of(State state, Holdable limit, List<Hold> holdings) {
    return holdings.isEmpty() ? state : new HeldState(state, limit.capacity(), holdings);
  }

  static long total(List<Hold> holdings) {
    long sum = 0;
    for (var holding : holdings) sum += holding.amount();
    return sum;
  }

  /** The holdings with one more, in its place. */
  static List<Hold> with(Hold added, List<Hold> others) {
    var all = new ArrayList<>(others);
    int at = all.size();
    while (at > 0 && all.get(at - 1).until() > added.until()) at--;
    all.add(at, added);
    return all;
  }

  private long total() {
    return total(holdings);
  }

  private long resetAfter(Holdable limit, long now) {
    return Math.max(now, freshAt(limit)) - now;
  }

  /** When nothing is left of it, if nobody says anything any more. */
  public long freshAt(Holdable limit) {
    return settled(limit, this, Long.MAX_VALUE).freshAt();
  }

  /** Only a limit knows; see {@link #freshAt(Holdable)}. */
  @Override
  public long freshAt() {
    return Long.MAX_VALUE;
  }

  /** With the holds, which a limit that can't be divided takes over as charges. */
  @Override
  public long used(long now) {
    return Math.min(Utilization.ALL, state.used(now) + Utilization.of(total(), capacity));
  }
}
