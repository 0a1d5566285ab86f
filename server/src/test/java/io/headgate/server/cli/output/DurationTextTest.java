package io.headgate.server.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "0,0ms",
    "1,1ms",
    "999,999ms",
    "1000,1s",
    "1001,1.1s",
    "1100,1.1s",
    "1999,2s",
    "1950,2s",
    "9950,10s",
    "10001,11s",
    "59000,59s",
    "59001,1m",
    "60000,1m",
    "61000,1m 1s",
    "3600000,1h",
    "3660000,1h 1m",
    "3661000,1h 1m",
    "86400000,1d",
    "90000000,1d 1h",
    "3155760000000,36525d"
  })
  void durationsAreRoundedUp(long millis, String text) {
    assertThat(DurationText.text(millis)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"250ms,PT0.25S", "10s,PT10S", "5m,PT5M", "1h,PT1H", "0s,PT0S"})
  void optionIsANumberAndAUnit(String text, Duration expected) {
    assertThat(new DurationText().convert(text)).isEqualTo(expected);
  }
}
