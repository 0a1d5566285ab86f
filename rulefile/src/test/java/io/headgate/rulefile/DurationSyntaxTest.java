package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationSyntaxTest {
  @ParameterizedTest
  @CsvSource({
    "100us, PT0.0001S",
    "250ms, PT0.25S",
    "0s, PT0S",
    "10s, PT10S",
    "5m, PT5M",
    "1h, PT1H",
    "1d, PT24H",
    "1w, PT168H",
    "2sec, PT2S",
    "2seconds, PT2S",
    "1min, PT1M",
    "90minutes, PT1H30M",
    "1hour, PT1H",
    "2days, PT48H",
    "3weeks, PT504H",
    "007s, PT7S",
  })
  void parsesWholeNumberWithUnit(String text, Duration duration) {
    assertThat(DurationSyntax.parse(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "30 | '30' has no unit; write 30s for seconds, or 30ms, 30m, 30h",
        "1.5h | '1.5h' is no duration; did you mean 90m? Write a whole number and a unit, such as"
            + " 250ms, 10s, 5m, 1h or 1d",
        "1h30m | '1h30m' is no duration; did you mean 90m? Write a whole number and a unit, such"
            + " as 250ms, 10s, 5m, 1h or 1d",
        "1 h | '1 h' is no duration; did you mean 1h? Write a whole number and a unit, such as"
            + " 250ms, 10s, 5m, 1h or 1d",
        "0.0000001s | '0.0000001s' is no duration. Write a whole number and a unit, such as"
            + " 250ms, 10s, 5m, 1h or 1d",
        "-5s | '-5s' is no duration. Write a whole number and a unit, such as 250ms, 10s, 5m, 1h"
            + " or 1d",
        "PT5M | 'PT5M' is no duration. Write a whole number and a unit, such as 250ms, 10s, 5m,"
            + " 1h or 1d",
        "soon | 'soon' is no duration. Write a whole number and a unit, such as 250ms, 10s, 5m, 1h"
            + " or 1d",
        "5M | '5M' has the unknown unit 'M'; did you mean m? Allowed: us, ms, s, m, h, d, w (and"
            + " mo, y in calendar windows)",
        "5ns | '5ns' has the unknown unit 'ns'. Allowed: us, ms, s, m, h, d, w (and mo, y in"
            + " calendar windows)",
        "1mo | '1mo' has no fixed length; months and years need a fixed-window with align:"
            + " calendar",
        "9999999999999999999s | '9999999999999999999s' is too long",
        "9223372036854775807w | '9223372036854775807w' is too long",
      })
  void invalidDurationIsRejectedWithASuggestion(String text, String message) {
    assertThatThrownBy(() -> DurationSyntax.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0s",
    "PT0.000001S, 1us",
    "PT0.0015S, 1500us",
    "PT1.5S, 1500ms",
    "PT60S, 1m",
    "PT90S, 90s",
    "PT24H, 1d",
    "PT36H, 36h",
    "PT168H, 1w",
    "PT8784H, 366d",
  })
  void formatsInTheLongestExactUnit(Duration duration, String text) {
    assertThat(DurationSyntax.text(duration)).isEqualTo(text);
    assertThat(DurationSyntax.parse(text)).isEqualTo(duration);
  }

  @Test
  void negativeOrSubMicrosecondDurationIsNotFormatted() {
    for (var duration : new Duration[] {Duration.ofNanos(1), Duration.ofSeconds(-1)}) {
      assertThatThrownBy(() -> DurationSyntax.text(duration))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(duration + " is no positive number of whole microseconds");
    }
  }

  @Test
  void maximumDurationRoundTrips() {
    var longest = Duration.of(Long.MAX_VALUE, ChronoUnit.SECONDS);
    assertThat(DurationSyntax.parse(DurationSyntax.text(longest))).isEqualTo(longest);
  }

  @Test
  void isoDurationsInMessagesAreReplaced() {
    assertThat(
            DurationSyntax.asWritten("100 per PT1M within PT0.25S, not 'PT1M' and no PTA or P1X"))
        .isEqualTo("100 per 1m within 250ms, not 'PT1M' and no PTA or P1X");
  }
}
