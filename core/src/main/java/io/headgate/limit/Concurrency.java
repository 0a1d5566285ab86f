package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;

/**
 * At most {@code max} in flight. Who takes a slot holds it until it is released, or until its
 * {@code lease} ends without renewal: a caller that died gives back what it held.
 */
public record Concurrency(long max, Duration lease) implements Limit {
  public static final long MOST = 100_000;

  /**
   * The most slots that one request may take. Redis keeps a member for each slot, so a request's
   * cost is work during which the server decides nothing else.
   */
  public static final long MOST_AT_ONCE = 1_000;

  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  public Concurrency {
    require(max >= 1 && max <= MOST, "max must be 1 to %d, got %d", MOST, max);
    Bounds.requireLength("a lease", lease);
  }

  public static Concurrency of(long max) {
    return new Concurrency(max, DEFAULT_LEASE);
  }

  /** As {@link #step(State, long, long, long)}, for a request that nobody will release. */
  @Override
  public Step step(State state, long now, long cost) {
    return step(state, now, cost, 0);
  }

  /**
   * @param holder names the slot, for {@link #renew} and {@link #release}; another for each request
   */
  public Step step(State state, long now, long cost, long holder) {
    var slots = adopt(state, now);
    long left = Math.max(0, max - slots.held());
    long resetAfter = Math.max(now, slots.freshAt()) - now;
    if (cost > highestCost()) {
      return new Step(slots, new ExceedsCapacity(left, resetAfter, cost, highestCost()));
    }
    if (cost > left) {
      return new Step(slots, new Refused(left, resetAfter, slots.fitsAt(max - cost) - now));
    }
    if (cost == 0) return new Step(slots, new Passed(left, resetAfter, 0));
    var next = slots.plus(holder, now + window(), cost);
    return new Step(next, new Passed(left - cost, next.freshAt() - now, 0));
  }

  /** Extends the holder's lease to a full one from now. A lease that has ended stays ended. */
  public ConcurrencyState renew(State state, long now, long holder) {
    return adopt(state, now).renewed(holder, now + window());
  }

  public ConcurrencyState release(State state, long now, long holder) {
    return adopt(state, now).without(holder);
  }

  /** Slots in flight are facts: a changed limit counts them as they are. */
  @Override
  public ConcurrencyState adopt(State state, long now) {
    if (state instanceof ConcurrencyState own) return own.under(max, now);
    return ConcurrencyState.empty(max); // what was spent per time says nothing of what is in flight
  }

  @Override
  public Concurrency dividedBy(int n) {
    long part = Utilization.among(n, max);
    return n == 1 ? this : new Concurrency(part, lease);
  }

  @Override
  public long capacity() {
    return max;
  }

  @Override
  public long highestCost() {
    return Math.min(max, MOST_AT_ONCE);
  }

  @Override
  public long window() {
    return Bounds.micros(lease);
  }

  @Override
  public String algorithm() {
    return "concurrency";
  }
}
