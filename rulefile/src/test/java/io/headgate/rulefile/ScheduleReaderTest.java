package io.headgate.rulefile;

import static java.time.DayOfWeek.FRIDAY;
import static java.time.DayOfWeek.MONDAY;
import static java.time.DayOfWeek.SATURDAY;
import static java.time.DayOfWeek.SUNDAY;
import static java.time.DayOfWeek.THURSDAY;
import static java.time.DayOfWeek.TUESDAY;
import static java.time.DayOfWeek.WEDNESDAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Schedule;
import io.headgate.rule.Schedule.Hours;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScheduleReaderTest {
  @Test
  void emptyScheduleAlwaysApplies() {
    assertThat(read("{}")).isEqualTo(Schedule.ALWAYS);
  }

  @Test
  void daysAreAListOrATextWithRanges() {
    var weekdays = Set.of(MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY);
    assertThat(read("{ days: mon-fri }").days()).isEqualTo(weekdays);
    assertThat(read("{ days: [mon, Tue, wednesday, Thu-FRI] }").days()).isEqualTo(weekdays);
    assertThat(read("{ days: 'mon, sat-sun' }").days()).isEqualTo(Set.of(MONDAY, SATURDAY, SUNDAY));
    assertThat(read("{ days: sat-mon }").days()).isEqualTo(Set.of(SATURDAY, SUNDAY, MONDAY));
    assertThat(read("{ days: fri }").days()).isEqualTo(Set.of(FRIDAY));
  }

  @Test
  void hoursMayGoPastMidnight() {
    assertThat(read("{ hours: 09:00-17:30 }").hours()).contains(hours("09:00", "17:30"));
    assertThat(read("{ hours: '9:00 - 17:30:15' }").hours()).contains(hours("09:00", "17:30:15"));
    assertThat(read("{ hours: 22:00-06:00 }").hours()).contains(hours("22:00", "06:00"));
    assertThat(read("{ hours: 18:00-24:00 }").hours()).contains(hours("18:00", "00:00"));
  }

  @Test
  void dateMeansItsStart() {
    var schedule = read("{ from: 2026-12-24, until: 2026-12-27T18:00, zone: Europe/Berlin }");
    assertThat(schedule.from()).contains(LocalDateTime.of(2026, 12, 24, 0, 0));
    assertThat(schedule.until()).contains(LocalDateTime.of(2026, 12, 27, 18, 0));
    assertThat(schedule.zone()).isEqualTo(ZoneId.of("Europe/Berlin"));
    assertThat(read("{ until: 2026-12-27 18:00:30 }").until())
        .contains(LocalDateTime.of(2026, 12, 27, 18, 0, 30));
  }

  @Test
  void zoneMayBeAnOffset() {
    assertThat(read("{ zone: +02:00 }").zone()).isEqualTo(ZoneId.of("+02:00"));
    assertThat(read("{ hours: 01:00-02:00 }"))
        .isEqualTo(
            new Schedule(
                Schedule.ALWAYS.days(),
                Optional.of(hours("01:00", "02:00")),
                ZoneId.of("UTC"),
                Optional.empty(),
                Optional.empty()));
  }

  private static Hours hours(String from, String to) {
    return new Hours(LocalTime.parse(from), LocalTime.parse(to));
  }

  private static Schedule read(String active) {
    return RuleFile.readRule(
            "{ id: a, limit: { algorithm: concurrency, max: 5 }, active: " + active + " }")
        .active();
  }
}
