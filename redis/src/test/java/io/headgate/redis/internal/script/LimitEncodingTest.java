package io.headgate.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Window;
import io.headgate.limit.Window.Calendar;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LimitEncodingTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** The script takes the first of the three ends that is after its own time. */
  @ParameterizedTest
  @EnumSource
  void theServersCalendarWindowIsTheRightOneThoughTheClockHereIsOff(Window.Unit unit) {
    var cut = new Calendar(unit, BERLIN);
    var random = new Random(3);
    long start = ZonedDateTime.of(2026, 1, 1, 0, 0, 0, 0, BERLIN).toEpochSecond() * 1_000_000;
    for (int i = 0; i < 2_000; i++) {
      long there = start + random.nextLong(Duration.ofDays(800).toSeconds() * 1_000_000);
      long here = there + random.nextLong(-1_800_000_000L, 1_800_000_000L);
      var terms = LimitEncoding.of(new FixedWindow(1, cut), here);
      long end = there < terms[4] ? terms[4] : there < terms[5] ? terms[5] : terms[6];
      assertThat(end).as("there %d, here %d", there, here).isEqualTo(cut.endAfter(there));
    }
  }
}
