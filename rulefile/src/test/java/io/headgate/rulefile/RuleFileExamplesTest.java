package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.rule.Subject;
import org.junit.jupiter.api.Test;

/** Runs the examples of the Javadoc, which are the regions of this file. */
class RuleFileExamplesTest {
  @Test
  void read() {
    // @start region="read"
    var rules =
        RuleFile.read(
            """
            rules:
              - id: per-user
                match: { user: "*" }
                limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
            """);
    try (var limiter = RateLimiter.inMemory(rules)) {
      System.out.println(limiter.check(Subject.of("user", "42")));
    }
    // @end
    assertThat(RuleFile.yaml(rules)).contains("rate: 100/1m");
  }
}
