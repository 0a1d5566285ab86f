package io.headgate.rule;

import io.headgate.internal.hash.KeyedHash;
import io.headgate.limit.FairShare;
import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Share;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cost that a plan charges to one counter. Immutable.
 *
 * <p>A class rather than a record because it caches the hash with which a store looks up the state
 * of the counter.
 */
public final class Charge {
  private final Counter counter;
  private final String key;
  private int hash; // 0 until it is needed; every thread computes the same, so a race is harmless
  private final long cost;
  private final long holder;
  private final @Nullable Share share;

  /**
   * Creates a charge.
   *
   * @param counter the limit to charge
   * @param key identifies the state among those of the counter
   * @param cost the number of permits
   * @param holder identifies the slots if the limit is a concurrency limit
   */
  public Charge(Counter counter, String key, long cost, long holder) {
    this(counter, key, cost, holder, null);
  }

  /**
   * Creates a charge of a tenant.
   *
   * @param share the tenant and its weight if the limit is shared fairly; otherwise null
   */
  public Charge(Counter counter, String key, long cost, long holder, @Nullable Share share) {
    this(counter, key, 0, cost, holder, share);
  }

  /**
   * Creates a charge of a tenant.
   *
   * @param keyHash the {@link KeyedHash} of the key, for callers that have it
   */
  Charge(Counter counter, String key, long keyHash, long cost, long holder, @Nullable Share share) {
    this(counter, key, hashOf(counter, keyHash), cost, holder, share);
  }

  private Charge(
      Counter counter, String key, int hash, long cost, long holder, @Nullable Share share) {
    this.counter = counter;
    this.key = key;
    this.hash = hash;
    this.cost = cost;
    this.holder = holder;
    this.share = share;
  }

  /**
   * Returns a keyed hash of counter and key. The hash key is secret and random per JVM, so that a
   * caller that chooses keys can't produce collisions in a hash table.
   */
  public static int hashOf(Counter counter, String key) {
    return hashOf(counter, KeyedHash.of(key));
  }

  private static int hashOf(Counter counter, long keyHash) {
    long h = keyHash + counter.hashCode() * 0x9E3779B97F4A7C15L;
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

  /** Returns the tenant and its weight if the limit is shared fairly; may be null otherwise. */
  public @Nullable Share share() {
    return share;
  }

  /** Returns {@link #share}, or {@link Share#NONE} if there is none. */
  public Share shareOrNone() {
    return share == null ? Share.NONE : share;
  }

  /**
   * Returns {@link #hashOf} the counter and key. Computed when it is first needed: a store that
   * reads the clock before the lookup computes it while the clock is being read, and a remote store
   * needs none.
   */
  public int hash() {
    int known = hash;
    if (known == 0) {
      known = hashOf(counter, key);
      hash = known;
    }
    return known;
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
    if (limit() instanceof FairShare fair) return fair.step(state, now, cost, shareOrNone());
    return limit() instanceof SlotLimit slots
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
  public Charge withCounter(Counter other) {
    return new Charge(other, key, hash, cost, holder, share);
  }

  Charge atZeroCost() {
    return withCost(0);
  }

  /** Returns the same charge with another cost. */
  public Charge withCost(long other) {
    return new Charge(counter, key, hash, other, holder, share);
  }

  /** Returns whether two charges of one counter and key are those of one tenant. */
  boolean hasShareOf(Charge other) {
    return Objects.equals(share, other.share);
  }

  @Override
  public String toString() {
    return "%d of %s for '%s'".formatted(cost, counter, key);
  }
}
