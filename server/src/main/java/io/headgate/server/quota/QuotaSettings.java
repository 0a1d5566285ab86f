package io.headgate.server.quota;

import java.time.Duration;

/**
 * The times and bounds of quota assignments.
 *
 * @param ttl how long an assignment lasts after the proxy has received it, in whole seconds, since
 *     Envoy ignores fractions
 * @param roundTrip the longest time in which a message reaches a proxy and its reply returns.
 *     Over-admission is 0 as long as messages are not slower
 * @param idle the time without requests after which a bucket is abandoned
 * @param maxStreams the maximum number of streams
 * @param maxBuckets the maximum number of buckets of all streams. Further buckets are denied
 * @param maxBucketsPerStream the maximum number of buckets of one stream
 */
public record QuotaSettings(
    Duration ttl,
    Duration roundTrip,
    Duration idle,
    int maxStreams,
    int maxBuckets,
    int maxBucketsPerStream) {
  public static final QuotaSettings DEFAULT =
      new QuotaSettings(
          Duration.ofSeconds(15),
          Duration.ofSeconds(1),
          Duration.ofMinutes(1),
          10_000,
          200_000,
          20_000);

  /** The longest time between a reply of the store and the assignments that it allows. */
  static final Duration PROCESSING = Duration.ofSeconds(1);

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public QuotaSettings {
    if (ttl.toSeconds() < 1 || ttl.toNanosPart() != 0 || ttl.toDays() > 0) {
      throw new IllegalArgumentException(
          "an assignment must last whole seconds, 1 to 86399, got %s".formatted(ttl));
    }
    if (!roundTrip.isPositive() || roundTrip.compareTo(ttl) >= 0) {
      throw new IllegalArgumentException(
          "a round trip must take less than the lifetime %s, got %s".formatted(ttl, roundTrip));
    }
    if (idle.compareTo(ttl) < 0) {
      throw new IllegalArgumentException(
          "a bucket must be idle for at least %s before it is abandoned, got %s"
              .formatted(ttl, idle));
    }
    if (maxStreams < 1 || maxBuckets < 1 || maxBucketsPerStream < 1) {
      throw new IllegalArgumentException(
          "streams and buckets must be at least 1, got %d, %d and %d"
              .formatted(maxStreams, maxBuckets, maxBucketsPerStream));
    }
  }

  /** Returns the lease of a hold in microseconds, which outlasts every assignment made of it. */
  long leaseMicros() {
    return ttl.plus(roundTrip).plus(PROCESSING).toNanos() / 1_000;
  }
}
