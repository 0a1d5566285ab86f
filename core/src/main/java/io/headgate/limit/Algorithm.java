package io.headgate.limit;

/** The algorithms that a {@link Limit} can have. */
public enum Algorithm {
  /** The algorithm of {@link TokenBucket}. */
  TOKEN_BUCKET("token-bucket"),

  /** The algorithm of {@link LeakyBucket}. */
  LEAKY_BUCKET("leaky-bucket"),

  /** The algorithm of {@link FixedWindow}. */
  FIXED_WINDOW("fixed-window"),

  /** The algorithm of {@link SlidingWindow}. */
  SLIDING_WINDOW("sliding-window"),

  /** The algorithm of {@link RollingWindow}. */
  ROLLING_WINDOW("rolling-window"),

  /** The algorithm of {@link Concurrency}. */
  CONCURRENCY("concurrency"),

  /** The algorithm of {@link AdaptiveConcurrency}. */
  ADAPTIVE_CONCURRENCY("adaptive-concurrency"),

  /** The algorithm of {@link Deny}. */
  DENY("deny"),

  /** The algorithm of {@link Shed}. */
  SHED("shed"),

  /** The algorithm of {@link Unlimited}. */
  UNLIMITED("unlimited");

  private final String id;

  Algorithm(String id) {
    this.id = id;
  }

  /** Returns the name used in rule files, decisions and metrics, such as {@code token-bucket}. */
  public String id() {
    return id;
  }

  /** Returns whether the limit counts requests in flight, each of which holds a slot. */
  public boolean hasSlots() {
    return this == CONCURRENCY || this == ADAPTIVE_CONCURRENCY;
  }

  /** Returns the {@link #id}. */
  @Override
  public String toString() {
    return id;
  }
}
