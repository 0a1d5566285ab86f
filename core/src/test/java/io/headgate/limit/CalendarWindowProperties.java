package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Window.Calendar;
import io.headgate.limit.Window.Unit;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;

/** Windows have no gaps or overlaps, in all zones, from 1970 to 2200. */
class CalendarWindowProperties {
  /** The largest transition of any zone, except for those that crossed the date line. */
  private static final long LARGEST_CHANGE = Bounds.micros(Duration.ofHours(7));

  @Property(tries = 5_000)
  void everyTimeIsInExactlyOneWindow(
      @ForAll("zones") ZoneId zone,
      @ForAll Unit unit,
      @ForAll @LongRange(min = 0, max = Move.LAST_MICROS) long now,
      @ForAll @DoubleRange(min = 0, max = 1) double part) {
    check(new Calendar(unit, zone), now, part);
  }

  /** Random times are rarely near a transition of the clock. */
  @Property(tries = 5_000)
  void everyTimeAroundAClockTransitionIsInExactlyOneWindow(
      @ForAll("zones") ZoneId zone,
      @ForAll Unit unit,
      @ForAll @LongRange(min = 0, max = Move.LAST_MICROS) long before,
      @ForAll @LongRange(min = -10_800, max = 10_800) long seconds,
      @ForAll @DoubleRange(min = 0, max = 1) double part) {
    var change = zone.getRules().nextTransition(Instant.EPOCH.plus(before, ChronoUnit.MICROS));
    if (change == null) return; // some zones have no further transitions
    long now = (change.toEpochSecond() + seconds) * 1_000_000;
    check(new Calendar(unit, zone), now, part);
  }

  /** The end is after {@code now}, is the same for the whole window, and begins the next one. */
  private static void check(Calendar alignment, long now, double part) {
    long end = alignment.endAfter(now);
    long between = now + (long) (part * (end - 1 - now));
    assertThat(end).as(() -> "%s at %d".formatted(alignment, now)).isGreaterThan(now);
    assertThat(end - now).isLessThanOrEqualTo(alignment.maxLength() + LARGEST_CHANGE);
    assertThat(alignment.endAfter(between)).isEqualTo(end);
    assertThat(alignment.endAfter(end - 1)).isEqualTo(end);
    assertThat(alignment.endAfter(end)).isGreaterThan(end);
  }

  @Provide
  Arbitrary<ZoneId> zones() {
    return Arbitraries.of(ZoneId.getAvailableZoneIds()).map(ZoneId::of);
  }
}
