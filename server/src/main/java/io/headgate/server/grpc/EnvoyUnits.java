package io.headgate.server.grpc;

import io.headgate.LimitReport;
import io.headgate.limit.Algorithm;
import io.headgate.server.grpc.proto.RateLimitResponse.RateLimit;
import io.headgate.server.grpc.proto.RateLimitResponse.RateLimit.Unit;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/** Converts limits to Envoy's messages, which have seven units of time only. */
final class EnvoyUnits {
  private record Length(Unit unit, Duration shortest, Duration longest) {
    boolean fits(Duration window) {
      return window.compareTo(shortest) >= 0 && window.compareTo(longest) <= 0;
    }

    /** Returns the distance to a window on a logarithmic scale. */
    double distance(Duration window) {
      return Math.abs(Math.log((double) window.toMillis() / longest.toMillis()));
    }
  }

  /** The units; days and longer include the hour that a change of daylight saving time may add. */
  private static final List<Length> LENGTHS =
      List.of(
          new Length(Unit.SECOND, Duration.ofSeconds(1), Duration.ofSeconds(1)),
          new Length(Unit.MINUTE, Duration.ofMinutes(1), Duration.ofMinutes(1)),
          new Length(Unit.HOUR, Duration.ofHours(1), Duration.ofHours(1)),
          new Length(Unit.DAY, Duration.ofHours(24), Duration.ofHours(25)),
          new Length(Unit.WEEK, Duration.ofDays(7), Duration.ofHours(7 * 24 + 1)),
          new Length(Unit.MONTH, Duration.ofDays(28), Duration.ofHours(31 * 24 + 1)),
          new Length(Unit.YEAR, Duration.ofDays(365), Duration.ofDays(366)));

  /**
   * Returns the limit with the nearest unit. If no unit equals the window, the name carries quota
   * and window as in the RateLimit-Policy header: {@code per-user;q=100;w=300}. A rule that denies
   * every request or sheds load has the limit of 0 per second.
   */
  static RateLimit of(LimitReport report) {
    if (report.algorithm() == Algorithm.DENY || report.algorithm() == Algorithm.SHED) {
      return RateLimit.newBuilder().setUnit(Unit.SECOND).setName(report.policy()).build();
    }
    var window = report.window();
    boolean timed = !report.algorithm().hasSlots();
    var nearest = LENGTHS.getFirst();
    for (var length : LENGTHS) {
      if (length.fits(window) || length.distance(window) < nearest.distance(window)) {
        nearest = length;
      }
      if (nearest.fits(window)) break;
    }
    var limit = RateLimit.newBuilder().setUnit(nearest.unit);
    limit.setRequestsPerUnit(uint32(report.limit()));
    String name = report.policy();
    if (!timed) name += ";q=" + report.limit() + ";qu=concurrent-requests";
    else if (!nearest.fits(window)) name += ";q=" + report.limit() + ";w=" + seconds(window);
    return limit.setName(name).build();
  }

  private static String seconds(Duration window) {
    if (window.getNano() == 0) return Long.toString(window.getSeconds());
    return BigDecimal.valueOf(window.toNanos(), 9).stripTrailingZeros().toPlainString();
  }

  /** Returns the number, saturated to an unsigned 32-bit integer. */
  static int uint32(long number) {
    return (int) Math.min(number, 0xFFFF_FFFFL);
  }

  private EnvoyUnits() {}
}
