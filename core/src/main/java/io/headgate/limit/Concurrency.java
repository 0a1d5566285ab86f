package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.load.CompletedCall;
import java.time.Duration;

/**
 * A concurrency limit: at most {@code max} slots in flight. A slot is held until it is released or
 * expires, so that the slots of a crashed caller become free.
 *
 * @param max the number of slots
 * @param lease the time after which a slot expires unless it is renewed
 */
public record Concurrency(long max, Duration lease) implements SlotLimit {
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

  @Override
  public Step step(State state, long now, long cost, long holder) {
    return adopt(state, now).acquire(max, maxCost(), now, now + window(), cost, holder, 0);
  }

  /** Releases the holder's slots. The number of slots is fixed, so that nothing is learned. */
  @Override
  public State release(State state, long now, long holder, CompletedCall call) {
    return release(state, now, holder);
  }

  @Override
  public ConcurrencyState adopt(State state, long now) {
    return state instanceof SlotState own ? own.slots().at(max, now) : ConcurrencyState.empty(max);
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
