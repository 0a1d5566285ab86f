package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameSuggesterTest {
  private static final List<String> NAMES =
      List.of("token-bucket", "leaky-bucket", "fixed-window", "burst", "rate", "max-wait", "off");

  @ParameterizedTest
  @CsvSource({
    "token-buket, token-bucket",
    "tokne-bucket, token-bucket",
    "token_bucket, token-bucket",
    "TokenBucket, token-bucket",
    "maxWait, max-wait",
    "brust, burst",
    "bursst, burst",
    "rat, rate",
    "of, off",
    "leaky, leaky-bucket",
    "Fixed, fixed-window",
  })
  void typoOrOtherNamingConventionFindsTheName(String word, String name) {
    assertThat(NameSuggester.nearest(word, NAMES)).contains(name);
  }

  @ParameterizedTest
  @CsvSource({"gcra", "on", "x", "''", "bucket", "rolling-window"})
  void unrelatedWordFindsNoName(String word) {
    assertThat(NameSuggester.nearest(word, NAMES)).isEmpty();
  }
}
