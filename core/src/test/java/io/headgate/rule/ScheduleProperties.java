package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ScheduleProperties {
  private static final LocalDateTime MONDAY = LocalDateTime.of(2026, 3, 23, 0, 0);

  /** The definition: a span of a listed day, or one that began on it, contains the time. */
  @Property(tries = 2_000)
  void isActiveIfASpanOfAListedDayContainsTheTime(
      @ForAll("schedules") Schedule schedule, @ForAll("moments") long now) {
    var local = local(schedule, now);
    boolean expected = false;
    for (int back = 0; back <= 1; back++) {
      var day = local.toLocalDate().minusDays(back);
      if (!schedule.days().contains(day.getDayOfWeek())) continue;
      var start = day.atTime(schedule.hours().map(Schedule.Hours::from).orElse(LocalTime.MIN));
      var end = day.atTime(schedule.hours().map(Schedule.Hours::to).orElse(LocalTime.MIN));
      if (!start.isBefore(end)) end = end.plusDays(1);
      expected |= !local.isBefore(start) && local.isBefore(end);
    }
    assertThat(schedule.isActive(now)).as("%s at %s", schedule, local).isEqualTo(expected);
  }

  /** A compiled rule caches its schedule for a second, which must not be observable. */
  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void cachedScheduleEqualsTheSchedule(
      @ForAll("schedules") Schedule schedule, @ForAll("manyMoments") List<Long> moments) {
    var compiled =
        new CompiledRule(
            Rule.named("r").limit(TokenBucket.of(Rate.perSecond(1))).active(schedule).build());
    for (long now : moments) {
      assertThat(compiled.isActive(now)).isEqualTo(schedule.isActive(now));
    }
  }

  /** A denial's retry time is exact: the rule applies until then, and not at that time. */
  @Property(tries = 500)
  void activeUntilIsTheFirstTimeAtWhichTheRuleDoesNotApply(
      @ForAll("boundedSchedules") Schedule schedule, @ForAll("moments") long now) {
    if (!schedule.isActive(now)) return;
    long until = schedule.activeUntil(now);
    long halfHour = 1_800_000_000L;
    long horizon = now + 20 * 48 * halfHour;
    long expected = now - Math.floorMod(now, halfHour) + halfHour;
    while (expected < horizon && schedule.isActive(expected)) expected += halfHour;
    boolean endless = schedule.until().isEmpty() && expected >= horizon;
    assertThat(until).isEqualTo(endless ? Schedule.ENDLESS : expected);
  }

  private static LocalDateTime local(Schedule schedule, long now) {
    return Instant.EPOCH.plus(now, ChronoUnit.MICROS).atZone(schedule.zone()).toLocalDateTime();
  }

  @Provide
  Arbitrary<Schedule> schedules() {
    var times = Arbitraries.integers().between(0, 47).map(n -> LocalTime.of(n / 2, n % 2 * 30));
    var hours =
        Combinators.combine(times, times)
            .as((from, to) ->
                from.equals(to)
                    ? Optional.<Schedule.Hours>empty()
                    : Optional.of(new Schedule.Hours(from, to)));
    Arbitrary<Set<DayOfWeek>> days = Arbitraries.of(DayOfWeek.class).set().ofMinSize(1);
    var zones =
        Arbitraries.of("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns").map(ZoneId::of);
    return Combinators.combine(days, hours, zones)
        .as((d, h, z) -> new Schedule(d, h, z, Optional.empty(), Optional.empty()));
  }

  /** All limits of these schedules, and the transitions of their zones, are on half hours. */
  @Provide
  Arbitrary<Schedule> boundedSchedules() {
    var ends = Arbitraries.integers().between(1, 18 * 48).map(n -> MONDAY.plusMinutes(n * 30L));
    var zones = Arbitraries.of("UTC", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe");
    return Combinators.combine(
            schedules(), ends.optional(), zones.map(ZoneId::of), Arbitraries.of(true, false))
        .as((s, end, zone, daily) ->
            new Schedule(
                daily ? Schedule.ALWAYS.days() : s.days(), s.hours(), zone, Optional.empty(), end));
  }

  /** Two weeks of half hours around a clock transition, and the microseconds just before them. */
  @Provide
  Arbitrary<Long> moments() {
    long start = MONDAY.toEpochSecond(ZoneOffset.UTC) * 1_000_000;
    return Combinators.combine(Arbitraries.integers().between(0, 14 * 48), Arbitraries.of(0, 1))
        .as((halfHours, before) -> start + halfHours * 1_800_000_000L - before);
  }

  @Provide
  Arbitrary<List<Long>> manyMoments() {
    return Arbitraries.oneOf(moments(), Arbitraries.longs().between(-3_000_000, 3_000_000))
        .list()
        .ofMinSize(1)
        .ofMaxSize(10);
  }
}
