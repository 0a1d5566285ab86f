package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rulefile.EnvoyAttributes;
import org.junit.jupiter.api.Test;

/** Tests that a domain that is too long matches by its truncated form. */
class LongDomainTest {
  private static final String DOMAIN = "d".repeat(50_000);

  @Test
  void descriptorLimitAppliesToATruncatedDomain() {
    var rule =
        Rule.named("other")
            .match(EnvoyAttributes.DOMAIN, Descriptors.value(DOMAIN))
            .match("other", "*")
            .limit(FixedWindow.of(Rate.perDay(10)))
            .build();
    var limit = RateLimitOverride.newBuilder().setRequestsPerUnit(1).setUnit(RateLimitUnit.DAY);
    var user = EnvoyClient.descriptor("user", "ada").toBuilder().setLimit(limit).build();
    try (var service = GrpcService.with(rule)) {
      assertThat(service.envoy.ask(DOMAIN, user).getOverallCode()).isEqualTo(Code.OK);
      assertThat(service.envoy.ask(DOMAIN, user).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(service.envoy.ask(DOMAIN + "e", user).getOverallCode())
          .as("of another domain")
          .isEqualTo(Code.OK);
      assertThat(service.envoy.ask(DOMAIN + "e", user).getOverallCode()).isEqualTo(Code.OK);
    }
  }
}
