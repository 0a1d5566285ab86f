package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.Window;
import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateSyntaxTest {
  @ParameterizedTest
  @CsvSource({
    "100/1m, 100, PT1M",
    "100/s, 100, PT1S",
    "100/m, 100, PT1M",
    "100/min, 100, PT1M",
    "100/hour, 100, PT1H",
    "3/7s, 3, PT7S",
    "1_000/day, 1000, PT24H",
    "'1,000/day', 1000, PT24H",
    "1000 per day, 1000, PT24H",
    "1k per 5m, 1000, PT5M",
    "10MB/1h, 10000000, PT1H",
    "1M / 1d, 1000000, PT24H",
    "5/2weeks, 5, PT336H",
  })
  void parsesCountPerDuration(String text, long permits, Duration period) {
    assertThat(RateSyntax.parse(text).rate()).isEqualTo(Rate.of(permits, period));
  }

  @ParameterizedTest
  @CsvSource({
    "1/1h, HOUR",
    "1/day, DAY",
    "1/1w, WEEK",
    "1/month, MONTH",
    "1/1mo, MONTH",
    "1/1y, YEAR",
  })
  void oneCalendarUnitIsACalendarWindow(String text, Window.Unit unit) {
    var zone = ZoneId.of("Asia/Tokyo");
    assertThat(RateSyntax.parse(text).calendar(zone))
        .isEqualTo(FixedWindow.of(1, new Window.Calendar(unit, zone)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "100 | '100' has no period; write count/duration, such as 100/1m",
        "/1m | '' is no count. Write a whole number, such as 100, 1_000, 10k, 1M or 10MB",
        "100/ | '' is no duration. Write a whole number and a unit, such as 250ms, 10s, 5m, 1h or"
            + " 1d",
        "100/1m/2 | '1m/2' is no duration. Write a whole number and a unit, such as 250ms, 10s, 5m,"
            + " 1h or 1d",
        "100/60 | '60' has no unit; write 60s for seconds, or 60ms, 60m, 60h",
        "10 a minute | '10 a minute' has no period; write count/duration, such as 100/1m",
        "5/1y | '1y' has no fixed length; months and years need a fixed-window with align: calendar",
        "0/1m | a rate needs at least 1 permit per period, got 0; to let nothing pass, use limit: deny",
      })
  void invalidRateIsRejectedWithASuggestion(String text, String message) {
    assertThatThrownBy(() -> RateSyntax.parse(text).rate())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource({"1/2d", "1/60m", "1/7d", "1/1s", "1/1m", "1/2mo"})
  void calendarWindowOfAnotherLengthIsRejected(String text) {
    assertThatThrownBy(() -> RateSyntax.parse(text).calendar(TimeZones.UTC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a calendar window is 1h, 1d, 1w, 1mo or 1y, got '%s'; for other lengths use align: epoch",
            text.substring(2));
  }

  @ParameterizedTest
  @CsvSource({"100, PT60S, 100/1m", "1000, PT24H, 1k/1d", "10485760, PT1H, 10Mi/1h"})
  void formatsTheShortestExactForm(long permits, Duration period, String text) {
    assertThat(RateSyntax.text(Rate.of(permits, period))).isEqualTo(text);
  }
}
