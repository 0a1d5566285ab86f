package io.headgate.limit;

import java.util.HashMap;
import java.util.Map;

/**
 * The state of a {@link FairShare}: the debt of all tenants together, the virtual clock, and one
 * number for each active tenant. See {@link FairBucket}.
 */
public final class FairState implements State {
  /**
   * The tenants of a state. States share it until a tenant joins or is dropped.
   *
   * @param names the ids of the tenants
   * @param indexes the position of each id in {@code names}
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Members(String[] names, Map<String, Integer> indexes) {
    static final Members NONE = of(new String[0]);

    static Members of(String[] names) {
      var indexes = HashMap.<String, Integer>newHashMap(names.length);
      for (int i = 0; i < names.length; i++) indexes.put(names[i], i);
      return new Members(names, indexes);
    }
  }

  /** The debt of all tenants together, exactly that of a token bucket. */
  final BucketState pool;

  /** The ticks of the whole burst, under the limit that wrote the state. */
  final long full;

  /** The time, in microseconds, at which the virtual clock showed {@link #virtual}. */
  final long at;

  final long virtual;

  /** The ticks that have been repaid since {@link #virtual}; less than {@link #indebted}. */
  final long rest;

  /** When idle tenants are dropped next. */
  final long sweepAt;

  /** The time after which a tenant without debt is dropped, under the limit that wrote this. */
  final long idle;

  final Members members;
  final int[] weights;

  /**
   * For each tenant the virtual time at which its debt is repaid; if it has no debt, the negative
   * time since when it counts as idle.
   */
  final long[] finish;

  /** The sum of the weights of all tenants. */
  final long weight;

  /** The sum of the weights of the tenants that have a debt. */
  final long indebted;

  /** A lower bound of the positive numbers in {@link #finish}. */
  final long next;

  FairState(
      BucketState pool,
      long full,
      long at,
      long virtual,
      long rest,
      long sweepAt,
      long idle,
      Members members,
      int[] weights,
      long[] finish,
      long weight,
      long indebted,
      long next) {
    this.pool = pool;
    this.full = full;
    this.at = at;
    this.virtual = virtual;
    this.rest = rest;
    this.sweepAt = sweepAt;
    this.idle = idle;
    this.members = members;
    this.weights = weights;
    this.finish = finish;
    this.weight = weight;
    this.indebted = indebted;
    this.next = next;
  }

  /** Returns the number of tenants that are active. */
  public int tenants() {
    return finish.length;
  }

  @Override
  public long freshAt() {
    return pool.emptyAt() + idle;
  }

  @Override
  public long used(long now) {
    return pool.used(now);
  }

  @Override
  public String toString() {
    return "FairState[pool=%s, tenants=%d, weight=%d]".formatted(pool, finish.length, weight);
  }
}
