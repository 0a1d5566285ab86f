package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.FailurePolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FailurePolicyTextTest {
  @Test
  void policiesAreNamedAsInRuleFiles() {
    assertThat(FailurePolicyText.withGrace(new FailurePolicy.Allow())).isEqualTo("allow");
    assertThat(FailurePolicyText.withGrace(new FailurePolicy.Deny())).isEqualTo("deny");
    assertThat(FailurePolicyText.withGrace(new FailurePolicy.Local())).isEqualTo("local");
  }

  @Test
  void timeOfAllowThenDenyIsOptional() {
    var policy = new FailurePolicy.AllowThenDeny(Duration.ofSeconds(30));
    assertThat(FailurePolicyText.of(policy)).isEqualTo("allow-then-deny");
    assertThat(FailurePolicyText.withGrace(policy)).isEqualTo("allow-then-deny 30s");
    var brief = new FailurePolicy.AllowThenDeny(Duration.ofMillis(250));
    assertThat(FailurePolicyText.withGrace(brief)).isEqualTo("allow-then-deny 250ms");
  }
}
