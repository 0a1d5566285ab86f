package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.tls.TlsFiles;
import io.headgate.store.Ticker;
import io.headgate.testkit.net.TestCertificates;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests Envoy's service over TLS. */
class GrpcTlsTest {
  private static final Rule USERS =
      Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(1))).build();

  @Test
  void envoyCallsOverTls() throws Exception {
    try (var shown = TestCertificates.create();
        var limiter = RateLimiter.inMemory(USERS)) {
      var files = new TlsFiles(shown.certificate(), shown.key(), Optional.empty(), false);
      var settings =
          new ServiceSettings(
              "127.0.0.1",
              0,
              AccessControl.OPEN,
              ConnectionLimits.DEFAULT,
              TrustedProxies.NONE,
              Optional.of(files),
              Duration.ofSeconds(1),
              1);
      var repository = InMemoryRuleRepository.of(limiter.rules());
      var trusting = GrpcSslContexts.forClient().trustManager(shown.certificate().toFile()).build();
      try (var service = Service.start(settings, limiter, repository, Ticker.system());
          var envoy =
              EnvoyClient.over(
                  NettyChannelBuilder.forAddress("127.0.0.1", service.port())
                      .sslContext(trusting)
                      .build())) {
        var ada = EnvoyClient.descriptor("user", "ada");
        assertThat(envoy.ask("any", ada).getOverallCode()).isEqualTo(Code.OK);
        assertThat(envoy.ask("any", ada).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      }
    }
  }
}
