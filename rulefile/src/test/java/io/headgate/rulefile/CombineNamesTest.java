package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.rule.Combine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CombineNamesTest {
  @Test
  void namesRoundTrip() {
    for (var name : CombineNames.NAMES)
      assertThat(CombineNames.text(CombineNames.parse(name))).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({
    "0.6, 600",
    ".6, 600",
    "60%, 600",
    "1, 1000",
    "100%, 1000",
    "0.333, 333",
    "33.3%, 333",
    "0.50000, 500",
    "0.1%, 1",
  })
  void thresholdIsAFractionOrAPercentage(String text, int permille) {
    assertThat(CombineNames.threshold(text)).isEqualTo(new Combine.Weighted(permille));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "half | 'half' is no share; write one such as 0.6 or 60%",
        "% | '%' is no share; write one such as 0.6 or 60%",
        "-0.5 | '-0.5' is no share; write one such as 0.6 or 60%",
        "1e-1 | '1e-1' is no share; write one such as 0.6 or 60%",
        "0.3333 | '0.3333' is too fine; thresholds go by steps of 0.001 or 0.1%",
        "0 | threshold must be more than 0 and at most 1 (100%), got 0.0",
        "60 | threshold must be more than 0 and at most 1 (100%), got 60.0",
      })
  void invalidThresholdIsRejected(String text, String message) {
    assertThatThrownBy(() -> CombineNames.threshold(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
