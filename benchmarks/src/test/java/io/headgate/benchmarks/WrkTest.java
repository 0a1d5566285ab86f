package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WrkTest {
  private static final String OUTPUT =
      """
      Running 2s test @ http://127.0.0.1:40123/v1/check
        1 threads and 64 connections
        Thread Stats   Avg      Stdev     Max   +/- Stdev
          Latency     1.21ms  805.11us  18.02ms   91.17%
          Req/Sec    52.33k     2.02k   55.12k    80.00%
        104312 requests in 2.00s, 31.04MB read
      Requests/sec:  52101.77
      Transfer/sec:     15.50MB
      """;

  @Test
  void parsesTheOutputOfWrk() {
    assertThat(Wrk.parse(OUTPUT)).isEqualTo(new Load(104_312, 52_101.77));
  }

  @Test
  void errorResponsesAreRejected() {
    var refused = OUTPUT.replace("Requests/sec", "  Non-2xx or 3xx responses: 7\nRequests/sec");
    assertThatThrownBy(() -> Wrk.parse(refused))
        .hasMessage("wrk reports errors: Non-2xx or 3xx responses: 7");
  }

  @Test
  void brokenConnectionsAreRejected() {
    var broken =
        OUTPUT.replace(
            "Requests/sec", "  Socket errors: connect 0, read 3, write 0, timeout 0\nRequests/sec");
    assertThatThrownBy(() -> Wrk.parse(broken)).hasMessageContaining("read 3");
  }
}
