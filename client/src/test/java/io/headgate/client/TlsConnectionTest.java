package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.net.TestCertificates;
import java.net.http.HttpClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TlsConnectionTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);

  @Test
  void clientUsesHttp2OverTlsAndAdmitsExactlyTheLimit() throws Exception {
    try (var certificates = TestCertificates.create();
        var service =
            TestService.withTls(
                certificates,
                Rule.named("crowd")
                    .match("crowd", "*")
                    .limit(FixedWindow.of(Rate.perDay(50)))
                    .build())) {
      var options =
          ClientOptions.builder("https://127.0.0.1:" + service.port())
              .tls(certificates.trusting())
              .deadline(PATIENT)
              .failureMode(FailureMode.DENY)
              .build();
      var subject = Subject.of("crowd", "tls");
      try (var connection = new ServiceConnection(options)) {
        var body = CheckJson.of(Request.of(subject));
        var response = connection.send("POST", "/v1/peek", body, PATIENT.toNanos()).join();
        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.status()).isEqualTo(200);
      }
      try (var client = HeadgateClient.connect(options)) {
        long admitted =
            ConcurrentRunner.PLATFORM.sum(thread -> {
              long own = 0;
              for (int i = 0; i < 20; i++) own += client.check(subject).isAllowed() ? 1 : 0;
              return own;
            });
        assertThat(admitted).isEqualTo(50);
      }
    }
  }

  @Test
  void serviceWithAnUntrustedCertificateIsNotAsked() {
    try (var certificates = TestCertificates.create();
        var others = TestCertificates.create();
        var service = TestService.withTls(certificates);
        var client =
            HeadgateClient.connect(
                ClientOptions.builder("https://127.0.0.1:" + service.port())
                    .tls(others.trusting())
                    .deadline(PATIENT)
                    .failureMode(FailureMode.DENY)
                    .build())) {
      var result = client.checkForResult(Subject.of("user", "42"));
      assertThat(result.isAllowed()).isFalse();
      assertThat(result.failure()).isPresent();
    }
  }
}
