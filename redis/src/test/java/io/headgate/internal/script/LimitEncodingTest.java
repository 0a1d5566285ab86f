package io.headgate.internal.script;

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

  /** The script uses the first of the three ends after its own time. */
  @ParameterizedTest
  @EnumSource
  void calendarWindowIsCorrectDespiteClockSkew(Window.Unit unit) {
    var alignment = new Calendar(unit, BERLIN);
    var random = new Random(3);
    long start = ZonedDateTime.of(2026, 1, 1, 0, 0, 0, 0, BERLIN).toEpochSecond() * 1_000_000;
    for (int i = 0; i < 2_000; i++) {
      long serverTime = start + random.nextLong(Duration.ofDays(800).toSeconds() * 1_000_000);
      long localTime = serverTime + random.nextLong(-1_800_000_000L, 1_800_000_000L);
      var encoded = LimitEncoding.of(FixedWindow.of(1, alignment), localTime);
      long end =
          serverTime < encoded[4] ? encoded[4] : serverTime < encoded[5] ? encoded[5] : encoded[6];
      assertThat(end)
          .as("there %d, here %d", serverTime, localTime)
          .isEqualTo(alignment.endAfter(serverTime));
    }
  }
}
