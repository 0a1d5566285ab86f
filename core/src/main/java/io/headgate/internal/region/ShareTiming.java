package io.headgate.internal.region;

import io.headgate.limit.Holdable;
import java.time.Duration;

/**
 * The times by which shares follow demand. Immutable.
 *
 * @param maxLease how long a share can be spent while home is unreachable. A home that may have
 *     lost its holds waits for this time, so all regions must use the same
 * @param sync the time between two requests for a share that is in use
 * @param idle the time after which an unused share is returned
 */
public record ShareTiming(Duration maxLease, Duration sync, Duration idle) {
  private static final Duration MIN_LEASE = Duration.ofMillis(500);
  private static final Duration MAX_LEASE = Duration.ofMinutes(5);

  /** Leases of 30 s, synchronized every 2 s and returned after 4 s. */
  public static final ShareTiming DEFAULT = ofLease(Duration.ofSeconds(30));

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public ShareTiming {
    if (maxLease.compareTo(MIN_LEASE) < 0 || maxLease.compareTo(MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          "a region's lease must be 500 ms to 5 min, got %d ms".formatted(maxLease.toMillis()));
    }
    if (sync.isNegative() || sync.isZero() || sync.multipliedBy(2).compareTo(maxLease) > 0) {
      throw new IllegalArgumentException(
          "shares must be synchronized at least twice in a lease, got every %d ms"
              .formatted(sync.toMillis()));
    }
    if (idle.compareTo(sync) < 0) {
      throw new IllegalArgumentException(
          "an idle share is returned after at least one sync, got %d ms"
              .formatted(idle.toMillis()));
    }
  }

  /** Returns the times for a lease: a fifteenth of it, from 0.1 s to 2 s, between requests. */
  public static ShareTiming ofLease(Duration maxLease) {
    long sync = Math.clamp(maxLease.toMillis() / 15, 100, 2_000);
    return new ShareTiming(maxLease, Duration.ofMillis(sync), Duration.ofMillis(2 * sync));
  }

  /** Returns the length of leases of a limit in microseconds: its window, at least 5 s. */
  long lease(Holdable limit) {
    return Math.min(Math.max(limit.window(), 5_000_000), maxLease.toNanos() / 1_000);
  }

  /**
   * Returns the nanoseconds between two requests for a share that is in use: a sixth of the window
   * of a short limit, of which regions would otherwise hold more than its burst.
   *
   * @param roundTrip the time of the last request, in nanoseconds
   */
  long interval(Holdable limit, long roundTrip) {
    return Math.min(sync.toNanos(), Math.max(limit.window() * 1_000 / 6, roundTrip));
  }

  /**
   * Returns how many permits cover the demand of one and a half intervals, or of an interval and
   * the round trips of a request that is sent in time and late.
   */
  long cover(Holdable limit, long roundTrip, double permitsPerSecond) {
    double interval = interval(limit, roundTrip);
    return permits(permitsPerSecond, Math.max(1.5 * interval, interval + 2.5 * roundTrip));
  }

  /** Returns the number of permits below which the next request is sent early. */
  long low(Holdable limit, long roundTrip, double permitsPerSecond) {
    double half = 0.75 * interval(limit, roundTrip);
    return permits(permitsPerSecond, Math.max(half, 2.0 * roundTrip));
  }

  private static long permits(double perSecond, double nanos) {
    return (long) Math.min(1e15, Math.ceil(perSecond * nanos / 1e9));
  }

  /**
   * Returns the nanoseconds after which an exhausted counter is requested again. Permits accumulate
   * at home meanwhile, so that one message carries several.
   */
  long pause(Holdable limit) {
    return Math.clamp(limit.window() * 1_000 / 50, 20_000_000, sync.toNanos());
  }
}
