package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a counter of which instances hold permits to spend them locally.
 *
 * @param state the charges
 * @param capacity the capacity of the limit whose permits are held
 * @param holds at least one, ordered by the end of their leases
 */
public record HeldState(State state, long capacity, List<Hold> holds) implements State {
  /*
   * Why leased permits never exceed the limit
   *
   * A held permit is not charged, but it is not available to others: a request of another instance
   * must fit beside all holds. When an instance reports spent permits, they are charged at the time
   * of the report, which is later than they were spent, and are no longer held. So the invariant
   * is: at any time, the charges and the holds together fit the limit.
   *
   * Take any span of time. Each permit spent in it was either charged in it or is still held at its
   * end. Each charge made in it is part of the state at its end, as far as the limit still counts
   * it: a bucket's debt less the repaid part, or a window's counts. By the invariant, that state
   * and the holds fit the limit. So no more permits were spent in the span than the limit allows,
   * however late the reports arrive.
   *
   * If an instance stops reporting, its hold is charged in full when the lease ends, because the
   * permits may have been spent. The permits are lost at most once. The charge is
   * made as of the end of the lease even if it is computed later, so the state does not depend on
   * when it is read.
   *
   * When a limit changes, holds and charges are both scaled in proportion to the capacity. So those
   * that fit the old limit fit the new one. An instance reports the fraction of its hold that it
   * has spent, which means the same under either limit.
   */

  /**
   * The highest number of instances that hold permits of one counter. Every request reads all holds
   * of its counter, so their number bounds that time. Further instances are granted no hold.
   */
  public static final int MAX_HOLDERS = 64;

  /**
   * Permits that one instance holds.
   *
   * @param holder the id of the instance
   * @param amount the number of permits
   * @param until the end of the lease, at which the permits count as spent
   * @param order the {@link HoldRequest#order} of the request that granted them
   */
  public record Hold(long holder, long amount, long until, long order) {
    /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
    public Hold {
      Bounds.require(amount > 0 && amount <= Bounds.MAX, "can't hold %d permits", amount);
    }

    Hold withAmount(long amount) {
      return new Hold(holder, amount, until, order);
    }
  }

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public HeldState {
    holds = List.copyOf(holds);
    Bounds.require(!(state instanceof HeldState), "holds can't be nested, got %s", state);
    Bounds.require(
        !holds.isEmpty() && holds.size() <= MAX_HOLDERS,
        "a counter may have 1 to %d holds, got %d",
        MAX_HOLDERS,
        holds.size());
    Bounds.require(capacity >= 1, "the capacity must be at least 1, got %d", capacity);
  }

  /**
   * Applies a limit, as {@link Limit#step} does, to a request of an instance that has no hold. Held
   * permits are not available to it.
   */
  public Step step(Holdable limit, long now, long cost) {
    return step(limit, expireHolds(limit, this, now), now, cost);
  }

  /** Applies a limit to a state whose expired holds have been charged by {@link #expireHolds}. */
  static Step step(Holdable limit, State state, long now, long cost) {
    return state instanceof HeldState held
        ? held.stepBesideHolds(limit, now, cost)
        : limit.step(state, now, cost);
  }

  private Step stepBesideHolds(Holdable limit, long now, long cost) {
    var before = limit.step(state, now, 0);
    var same = new HeldState(before.state(), capacity, holds);
    long held = total();
    long left = Math.max(0, before.outcome().remaining() - held);
    long reset = same.resetAfter(limit, now);
    if (cost == 0) return new Step(same, new Passed(left, reset, 0));
    if (cost > capacity) return new Step(same, new ExceedsCapacity(left, reset, cost, capacity));
    if (cost > left) return new Step(same, new Refused(left, reset, retryAfter(limit, now, cost)));
    var next = new HeldState(limit.step(state, now, cost).state(), capacity, holds);
    return new Step(next, new Passed(left - cost, next.resetAfter(limit, now), 0));
  }

  /**
   * Returns the retry time under the assumption that all holds stay. If the cost then never fits,
   * returns the end of the first lease.
   */
  private long retryAfter(Holdable limit, long now, long cost) {
    long held = total();
    if (cost > limit.capacity() - held) return holds.getFirst().until() - now;
    return limit.step(state, now, cost + held).outcome() instanceof Refused refused
        ? refused.retryAfter()
        : 0;
  }

  /** Converts the state to the limit, and charges the holds whose leases have ended by now. */
  public static State expireHolds(Holdable limit, State state, long now) {
    if (!(state instanceof HeldState before)) return state;
    var held = before.under(limit, now);
    var charged = held.state;
    int over = 0;
    for (var hold : held.holds) {
      if (hold.until() > now) break;
      charged = limit.charged(charged, hold.until(), hold.amount());
      over++;
    }
    return of(charged, limit, held.holds.subList(over, held.holds.size()));
  }

  /**
   * Converts the state to a changed limit, with charges and holds in proportion.
   *
   * <p>Scales the running total instead of each hold, so that rounding up adds one permit in total
   * and not one per holder. A hold that scales to less than a permit is merged into the one before
   * it.
   */
  private HeldState under(Holdable limit, long now) {
    if (capacity == limit.capacity() && limit.isOwn(state)) return this;
    var scaled = new ArrayList<Hold>(holds.size());
    long total = 0;
    long before = 0;
    for (var hold : holds) {
      total += hold.amount();
      long upTo = Utilization.scale(total, capacity, limit.capacity());
      if (upTo > before) {
        scaled.add(hold.withAmount(upTo - before));
      }
      before = upTo;
    }
    return new HeldState(limit.adopt(state, now), limit.capacity(), scaled);
  }

  /**
   * Returns whether the state was written under another limit and has not expired. Only a decision
   * converts such a state. A report or a release may come from an instance that has not seen the
   * change of the rule yet, and converting for it would discard slots in flight or the count of a
   * long window.
   */
  public static boolean isFromOtherLimit(Holdable limit, State state, long now) {
    var charged = withoutHolds(state);
    if (charged instanceof Fresh || limit.isOwn(charged)) return false;
    if (charged.freshAt() > now) return true;
    return state instanceof HeldState held && held.holds.getLast().until() > now;
  }

  /**
   * The state after a report.
   *
   * @param counted whether the report was charged; false if the state is of another limit, in which
   *     case it is unchanged until a decision converts it
   * @param charged the permits that were charged; see {@link Holdable#chargeable}
   */
  public record Reported(State state, boolean counted, long charged) {}

  /**
   * Charges permits that an instance has spent locally, even if they exceed the limit. Of a state
   * of another limit the instance is told, so that it has its next request decided; see {@link
   * #charged}.
   *
   * @param cost in permits of {@code limit}
   */
  public static Reported reported(Holdable limit, State state, long now, long cost) {
    if (isFromOtherLimit(limit, state, now)) return new Reported(state, false, 0);
    var expireHolds = expireHolds(limit, state, now);
    long chargeable = limit.chargeable(withoutHolds(expireHolds), now, cost);
    var charged = limit.charged(withoutHolds(expireHolds), now, chargeable);
    return new Reported(of(charged, limit, holds(expireHolds)), true, chargeable);
  }

  /**
   * Charges permits that have been spent, even if they exceed the limit, to a state of any limit:
   * converts it as a decision does. So no usage is lost when the limit has changed.
   *
   * @param cost in permits of {@code limit}
   */
  public static Reported charged(Holdable limit, State state, long now, long cost) {
    return reported(limit, GiveBack.adopted(limit, state, now), now, cost);
  }

  /** Returns the charges of a state, without its holds. */
  public static State withoutHolds(State state) {
    return state instanceof HeldState held ? held.state : state;
  }

  /**
   * Returns the time at which the counter would be fresh without later charges and without its
   * holds. A hold that is part of a receipt could be returned with it, although it may be released
   * meanwhile.
   *
   * @param step the step that made the charge, at a time
   */
  public static long receiptFreshAt(Step step, long now) {
    return step.state() instanceof HeldState held
        ? Math.max(now, held.state.freshAt())
        : now + step.outcome().resetAfter();
  }

  /** Returns the holds of a state; empty if it has none. */
  static List<Hold> holds(State state) {
    return state instanceof HeldState held ? held.holds : List.of();
  }

  /** Returns a state with these holds, or {@code state} itself if there are none. */
  static State of(State state, Holdable limit, List<Hold> holds) {
    return holds.isEmpty() ? state : new HeldState(state, limit.capacity(), holds);
  }

  static long total(List<Hold> holds) {
    long sum = 0;
    for (var hold : holds) sum += hold.amount();
    return sum;
  }

  /** Returns the holds with one more, in order. */
  static List<Hold> with(Hold added, List<Hold> others) {
    var all = new ArrayList<>(others);
    int at = all.size();
    while (at > 0 && all.get(at - 1).until() > added.until()) at--;
    all.add(at, added);
    return all;
  }

  private long total() {
    return total(holds);
  }

  private long resetAfter(Holdable limit, long now) {
    return Math.max(now, freshAt(limit)) - now;
  }

  /** Returns when the state equals {@link State#FRESH} if no further request or report arrives. */
  public long freshAt(Holdable limit) {
    return expireHolds(limit, this, Long.MAX_VALUE).freshAt();
  }

  /**
   * Returns {@link Long#MAX_VALUE}; the time depends on the limit, see {@link #freshAt(Holdable)}.
   */
  @Override
  public long freshAt() {
    return Long.MAX_VALUE;
  }

  /** Includes the holds, which a limit that is not {@link Holdable} adopts as charges. */
  @Override
  public long used(long now) {
    return Math.min(Utilization.ALL, state.used(now) + Utilization.of(total(), capacity));
  }
}
