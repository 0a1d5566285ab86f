package io.headgate.rule;

import io.headgate.limit.Concurrency;
import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.State;
import io.headgate.limit.Step;

/**
 * One limit's part in a plan: which state, and what it is to be charged.
 *
 * <p>A class rather than a record because it keeps a hash, which is then ready when a store looks
 * for the state: nothing else can be done there until it is known.
 */
public final class Charge {
  private final Counter counter;
  private final String key;
  private final int hash;
  private final long cost;
  private final long holder;

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
   * Returns a hash of the state's name under a secret key of this JVM, so that a caller that
   * chooses keys can't choose which of them share a part of a table.
   */
  public static int hashOf(Counter counter, String key) {
    long h = KeyedHash.of(key) + counter.hashCode() * 0x9E3779B97F4A7C15L;
    return (int) (h ^ h >>> 32);
  }

  public Counter counter() {
    return counter;
  }

  public String key() {
    return key;
  }

  public long cost() {
    return cost;
  }

  /** Names the slots that it takes, where the limit is one of concurrency. */
  public long holder() {
    return holder;
  }

  /** As {@link #hashOf} its counter and key. */
  public int hash() {
    return hash;
  }

  public Limit limit() {
    return counter.limit();
  }

  /** Asks the limit, given the state that is kept under this counter and key. */
  public Step step(State state, long now) {
    if (state instanceof HeldState held && limit() instanceof Holdable divisible) {
      return held.step(divisible, now, cost);
    }
    return limit() instanceof Concurrency slots
        ? slots.step(state, now, cost, holder)
        : limit().step(state, now, cost);
  }

  Charge dividedBy(int n) {
    return n == 1 ? this : under(counter.dividedBy(n));
  }

  /** The state that it is of. */
  CounterKey place() {
    return new CounterKey(counter, key);
  }

  Charge plus(long more) {
    return more == 0 ? this : at(cost + more);
  }

  /** The same charge under another limit of the same name. */
  Charge under(Counter other) {
    return new Charge(other, key, hash, cost, holder);
  }

  Charge atNoCost() {
    return at(0);
  }

  private Charge at(long other) {
    return new Charge(counter, key, hash, other, holder);
  }

  @Override
  public String toString() {
    return "%d of %s for '%s'".formatted(cost, counter, key);
  }
}
