package io.headgate.rule;

import io.headgate.limit.Concurrency;
import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.State;
import io.headgate.limit.Step;

/**
 * The cost that a plan charges to one counter. Immutable.
 *
 * <p>A class rather than a record because it precomputes the hash with which a store looks up the
 * state of the counter.
 */
public final class Charge {
  private final Counter counter;
  private final String key;
  private final int hash;
  private final long cost;
  private final long holder;

  /**
   * Creates a charge.
   *
   * @param counter the limit to charge
   * @param key identifies the state among those of the counter
   * @param cost the number of permits
   * @param holder identifies the slots if the limit is a concurrency limit
   */
  public Charge(Counter counter, String key, long cost, long holder) {
    this(counter, key, hashOf(counter, key), cost, holder);
  }

  private Charge(Counter counter, String key, int hash, long cost, long holder) {
    this.counter = counter;
    this.key = key;
    this.hash = hash;
    this.cost = cost;
    this.holder = holder;
  }

  /**
   * Returns a keyed hash of counter and key. The hash key is secret and random per JVM, so that a
   * caller that chooses keys can't produce collisions in a hash table.
   */
  public static int hashOf(Counter counter, String key) {
    long h = KeyedHash.of(key) + counter.hashCode() * 0x9E3779B97F4A7C15L;
    return (int) (h ^ h >>> 32);
  }

  /** Returns the counter to charge. */
  public Counter counter() {
    return counter;
  }

  /** Returns the key of the state among those of the counter. */
  public String key() {
    return key;
  }

  /** Returns the number of permits. */
  public long cost() {
    return cost;
  }

  /** Returns the id of the slots that are acquired if the limit is a concurrency limit. */
  public long holder() {
    return holder;
  }

  /** Returns {@link #hashOf} the counter and key. */
  public int hash() {
    return hash;
  }

  /** Returns the limit of the counter. */
  public Limit limit() {
    return counter.limit();
  }

  /** Applies the limit to the state that is stored under this counter and key. */
  public Step step(State state, long now) {
    if (state instanceof HeldState held && limit() instanceof Holdable holdable) {
      return held.step(holdable, now, cost);
    }
    return limit() instanceof Concurrency slots
        ? slots.step(state, now, cost, holder)
        : limit().step(state, now, cost);
  }

  Charge dividedBy(int n) {
    return n == 1 ? this : withCounter(counter.dividedBy(n));
  }

  /** Returns the key of the state that is charged. */
  CounterKey counterKey() {
    return new CounterKey(counter, key);
  }

  Charge plus(long more) {
    return more == 0 ? this : withCost(cost + more);
  }

  /** Returns the same charge for another counter of the same name. */
  Charge withCounter(Counter other) {
    return new Charge(other, key, hash, cost, holder);
  }

  Charge atZeroCost() {
    return withCost(0);
  }

  private Charge withCost(long other) {
    return new Charge(counter, key, hash, other, holder);
  }

  @Override
  public String toString() {
    return "%d of %s for '%s'".formatted(cost, counter, key);
  }
}
