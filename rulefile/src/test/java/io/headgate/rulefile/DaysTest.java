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

class DaysTest {
  @Test
  void threeDaysInARowAreARange() {
    assertThat(Days.text(Set.of(MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY)))
        .isEqualTo("mon-fri");
    assertThat(Days.text(Set.of(MONDAY, TUESDAY, WEDNESDAY, SUNDAY))).isEqualTo("mon-wed,sun");
    assertThat(Days.text(Set.of(SATURDAY, SUNDAY))).isEqualTo("sat,sun");
    assertThat(Days.text(Set.of(FRIDAY))).isEqualTo("fri");
  }
}
