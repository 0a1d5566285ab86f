package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class H2loadTest {
  private static final String OUTPUT =
      """
      finished in 2.00s, 31234.50 req/s, 3.10MB/s
      requests: 62469 total, 62533 started, 62469 done, 62469 succeeded, 0 failed, 0 errored, 0 timeout
      status codes: 62469 2xx, 0 3xx, 0 4xx, 0 5xx
      """;

  @Test
  void parsesTheOutputOfH2load() {
    assertThat(H2load.parse(OUTPUT)).isEqualTo(new Load(62_469, 31_234.5));
  }

  @Test
  void failedCallsAreRejected() {
    assertThatThrownBy(() -> H2load.parse(OUTPUT.replace("0 failed", "3 failed")))
        .hasMessageContaining("3 failed");
  }
}
