package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;

/**
 * A concurrency limit: at most {@code max} slots in flight. A slot is held until it is released or
 * expires, so that the slots of a crashed caller become free.
 *
 * @param max the number of slots
 * @param lease the time after which a slot expires unless it is renewed
 */
public record Concurrency(long max, Duration lease) implements Limit {
  /** The highest {@code max} of a limit. */
  public static final long MAX_SLOTS = 100_000;

  /**
   * The highest number of slots that one request may acquire. Redis stores a set member for each
   * slot and blocks while it writes them, so the cost of a request bounds that time.
   */
  public static final long MAX_COST = 1_000;

  /** The lease of a limit that sets none. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public Concurrency {
    require(max >= 1 && max <= MAX_SLOTS, "max must be 1 to %d, got %d", MAX_SLOTS, max);
    Bounds.requireDuration("a lease", lease);
  }

  /** Creates a limit with {@link #DEFAULT_LEASE}. */
  public static Concurrency of(long max) {
    return new Concurrency(max, DEFAULT_LEASE);
  }

  /** Returns this limit with another lease. */
  public Concurrency withLease(Duration lease) {
    return new Concurrency(max, lease);
  }

  /** Applies the limit to a request whose slots are never released and expire. */
  @Override
  public Step step(State state, long now, long cost) {
    return step(state, now, cost, 0);
  }

  /**
   * Applies the limit to a request, as {@link Limit#step} does.
   *
   * @param holder identifies the slots for {@link #renew} and {@link #release}; unique per request
   */
  public Step step(State state, long now, long cost, long holder) {
    var slots = adopt(state, now);
    long left = Math.max(0, max - slots.held());
    long resetAfter = Math.max(now, slots.freshAt()) - now;
    if (cost > maxCost()) {
      return new Step(slots, new ExceedsCapacity(left, resetAfter, cost, maxCost()));
    }
    if (cost > left) {
      return new Step(slots, new Refused(left, resetAfter, slots.fitsAt(max - cost) - now));
    }
    if (cost == 0) return new Step(slots, new Passed(left, resetAfter, 0));
    var next = slots.plus(holder, now + window(), cost);
    return new Step(next, new Passed(left - cost, next.freshAt() - now, 0));
  }

  /** Renews the holder's slots for a full lease from now. Expired slots stay expired. */
  public ConcurrencyState renew(State state, long now, long holder) {
    return adopt(state, now).renewed(holder, now + window());
  }

  /** Releases the holder's slots. */
  public ConcurrencyState release(State state, long now, long holder) {
    return adopt(state, now).without(holder);
  }

  /** Returns the slots in flight unchanged: a changed limit counts them rather than scales them. */
  @Override
  public ConcurrencyState adopt(State state, long now) {
    if (state instanceof ConcurrencyState own) return own.at(max, now);
    return ConcurrencyState.empty(max); // a rate limit's usage has no equivalent in slots
  }

  @Override
  public Concurrency dividedBy(int n) {
    long part = Utilization.partOf(n, max);
    return n == 1 ? this : new Concurrency(part, lease);
  }

  @Override
  public long capacity() {
    return max;
  }

  @Override
  public long maxCost() {
    return Math.min(max, MAX_COST);
  }

  @Override
  public long window() {
    return Bounds.micros(lease);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.CONCURRENCY;
  }
}
