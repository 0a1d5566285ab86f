package io.headgate.rulefile;

import static java.time.DayOfWeek.FRIDAY;
import static java.time.DayOfWeek.MONDAY;
import static java.time.DayOfWeek.SATURDAY;
import static java.time.DayOfWeek.SUNDAY;
import static java.time.DayOfWeek.THURSDAY;
import static java.time.DayOfWeek.TUESDAY;
import static java.time.DayOfWeek.WEDNESDAY;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class WeekdayNamesTest {
  @Test
  void threeDaysInARowAreARange() {
    assertThat(WeekdayNames.text(Set.of(MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY)))
        .isEqualTo("mon-fri");
    assertThat(WeekdayNames.text(Set.of(MONDAY, TUESDAY, WEDNESDAY, SUNDAY)))
        .isEqualTo("mon-wed,sun");
    assertThat(WeekdayNames.text(Set.of(SATURDAY, SUNDAY))).isEqualTo("sat,sun");
    assertThat(WeekdayNames.text(Set.of(FRIDAY))).isEqualTo("fri");
  }
}
