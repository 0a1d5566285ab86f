package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  private static final ZoneId UTC = ZoneId.of("UTC");
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Set<DayOfWeek> EVERY_DAY = EnumSet.allOf(DayOfWeek.class);

  @Test
  void scheduleWithoutConditionsIsAlwaysActive() {
    assertActive(Schedule.ALWAYS, "1970-01-01T00:00:00Z");
    assertActive(Schedule.ALWAYS, "2026-06-01T12:00:00Z");
  }

  @Test
  void daysAreThoseOfTheTimeZone() {
    var weekend = daily(EnumSet.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY), BERLIN);
    assertInactive(weekend, "2026-06-05T23:59:59+02:00");
    assertActive(weekend, "2026-06-06T00:00:00+02:00");
    assertActive(weekend, "2026-06-07T23:59:59+02:00");
    assertInactive(weekend, "2026-06-08T00:00:00+02:00");
  }

  @Test
  void hoursIncludeTheStartAndExcludeTheEnd() {
    var office = hours(EVERY_DAY, "09:00", "17:00", UTC);
    assertInactive(office, "2026-06-01T08:59:59.999999Z");
    assertActive(office, "2026-06-01T09:00:00Z");
    assertActive(office, "2026-06-01T16:59:59.999999Z");
    assertInactive(office, "2026-06-01T17:00:00Z");
  }

  @Test
  void spanOverMidnightBelongsToTheDayItBegan() {
    var fridayNight = hours(EnumSet.of(DayOfWeek.FRIDAY), "22:00", "06:00", UTC);
    assertInactive(fridayNight, "2026-06-05T03:00:00Z"); // Friday morning
    assertInactive(fridayNight, "2026-06-05T21:59:59Z");
    assertActive(fridayNight, "2026-06-05T22:00:00Z");
    assertActive(fridayNight, "2026-06-06T05:59:59Z");
    assertInactive(fridayNight, "2026-06-06T06:00:00Z");
    assertInactive(fridayNight, "2026-06-06T23:00:00Z"); // Saturday night
  }

  @Test
  void spanFromSundayEndsOnMonday() {
    var sundayNight = hours(EnumSet.of(DayOfWeek.SUNDAY), "22:00", "06:00", UTC);
    assertActive(sundayNight, "2026-06-08T05:00:00Z");
    assertInactive(sundayNight, "2026-06-09T05:00:00Z");
  }

  @Test
  void hoursMayEndAtMidnight() {
    var evening = hours(EnumSet.of(DayOfWeek.FRIDAY), "18:00", "00:00", UTC);
    assertActive(evening, "2026-06-05T23:59:59Z");
    assertInactive(evening, "2026-06-06T00:00:00Z");
  }

  @Test
  void hoursFollowDaylightSavingTime() {
    var office = hours(EVERY_DAY, "09:00", "17:00", BERLIN);
    assertActive(office, "2026-03-28T08:00:00Z"); // winter: 09:00
    assertInactive(office, "2026-03-28T07:00:00Z");
    assertActive(office, "2026-03-29T07:00:00Z"); // summer: 09:00
    assertInactive(office, "2026-03-29T15:00:00Z");
  }

  @Test
  void fromIsInclusiveAndUntilIsExclusive() {
    var june = between("2026-06-01T00:00:00", "2026-07-01T00:00:00", BERLIN);
    assertInactive(june, "2026-05-31T21:59:59.999999Z");
    assertActive(june, "2026-05-31T22:00:00Z");
    assertActive(june, "2026-06-30T21:59:59.999999Z");
    assertInactive(june, "2026-06-30T22:00:00Z");
  }

  @Test
  void endedScheduleStaysEndedWhenTheClockIsSetBack() {
    // On this day 02:00 to 03:00 occurs twice: from 00:00Z and from 01:00Z.
    var ends = between("2026-01-01T00:00:00", "2026-10-25T02:30:00", BERLIN);
    assertActive(ends, "2026-10-25T00:29:59Z");
    assertInactive(ends, "2026-10-25T00:30:00Z");
    assertInactive(ends, "2026-10-25T01:10:00Z");
  }

  @Test
  void startedScheduleStaysActiveWhenTheClockIsSetBack() {
    var begins = between("2026-10-25T02:30:00", "2027-01-01T00:00:00", BERLIN);
    assertInactive(begins, "2026-10-25T00:29:59Z");
    assertActive(begins, "2026-10-25T00:30:00Z");
    assertActive(begins, "2026-10-25T01:10:00Z");
  }

  @Test
  void allConditionsMustHold() {
    var schedule =
        new Schedule(
            EnumSet.of(DayOfWeek.MONDAY),
            Optional.of(new Schedule.Hours(LocalTime.of(9, 0), LocalTime.of(17, 0))),
            UTC,
            Optional.of(LocalDateTime.parse("2026-06-01T12:00:00")),
            Optional.of(LocalDateTime.parse("2026-06-09T00:00:00")));
    assertInactive(schedule, "2026-06-01T11:00:00Z"); // too early
    assertActive(schedule, "2026-06-01T12:00:00Z");
    assertInactive(schedule, "2026-06-01T18:00:00Z"); // after hours
    assertInactive(schedule, "2026-06-02T12:00:00Z"); // a Tuesday
    assertActive(schedule, "2026-06-08T12:00:00Z");
    assertInactive(schedule, "2026-06-15T12:00:00Z"); // too late
  }

  private static Schedule daily(Set<DayOfWeek> days, ZoneId zone) {
    return new Schedule(days, Optional.empty(), zone, Optional.empty(), Optional.empty());
  }

  private static Schedule hours(Set<DayOfWeek> days, String from, String to, ZoneId zone) {
    var hours = new Schedule.Hours(LocalTime.parse(from), LocalTime.parse(to));
    return new Schedule(days, Optional.of(hours), zone, Optional.empty(), Optional.empty());
  }

  private static Schedule between(String from, String until, ZoneId zone) {
    return new Schedule(
        EVERY_DAY,
        Optional.empty(),
        zone,
        Optional.of(LocalDateTime.parse(from)),
        Optional.of(LocalDateTime.parse(until)));
  }

  private static void assertActive(Schedule schedule, String time) {
    assertThat(schedule.isActive(micros(time))).as(time).isTrue();
  }

  private static void assertInactive(Schedule schedule, String time) {
    assertThat(schedule.isActive(micros(time))).as(time).isFalse();
  }

  private static long micros(String time) {
    var instant = OffsetDateTime.parse(time).toInstant();
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }
}
