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

/** Windows follow one another without a gap or an overlap, in all zones, from 1970 to 2200. */
class CalendarWindowProperties {
  /** No zone ever moved further, but for those that crossed the date line and skipped a day. */
  private static final long LARGEST_CHANGE = Bounds.micros(Duration.ofHours(7));

  @Property(tries = 5_000)
  void everyMomentLiesInOneWindow(
      @ForAll("zones") ZoneId zone,
      @ForAll Unit unit,
      @ForAll @LongRange(min = 0, max = Move.LAST_MICROS) long now,
      @ForAll @DoubleRange(min = 0, max = 1) double part) {
    check(new Calendar(unit, zone), now, part);
  }

  /** Hardly any random moment is near a change of the clock, where windows could go wrong. */
  @Property(tries = 5_000)
  void everyMomentAroundAChangeOfTheClockLiesInOneWindow(
      @ForAll("zones") ZoneId zone,
      @ForAll Unit unit,
      @ForAll @LongRange(min = 0, max = Move.LAST_MICROS) long before,
      @ForAll @LongRange(min = -10_800, max = 10_800) long seconds,
      @ForAll @DoubleRange(min = 0, max = 1) double part) {
    var change = zone.getRules().nextTransition(Instant.EPOCH.plus(before, ChronoUnit.MICROS));
    if (change == null) return; // there are zones where nothing changes any more
    long now = (change.toEpochSecond() + seconds) * 1_000_000;
    check(new Calendar(unit, zone), now, part);
  }

  /** The end lies ahead, is the same for the rest of the window, and begins another one. */
  private static void check(Calendar cut, long now, double part) {
    long end = cut.endAfter(now);
    long between = now + (long) (part * (end - 1 - now));
    assertThat(end).as(() -> "%s at %d".formatted(cut, now)).isGreaterThan(now);
    assertThat(end - now).isLessThanOrEqualTo(cut.longest() + LARGEST_CHANGE);
    assertThat(cut.endAfter(between)).isEqualTo(end);
    assertThat(cut.endAfter(end - 1)).isEqualTo(end);
    assertThat(cut.endAfter(end)).isGreaterThan(end);
  }

  @Provide
  Arbitrary<ZoneId> zones() {
    return Arbitraries.of(ZoneId.getAvailableZoneIds()).map(ZoneId::of);
  }
}
