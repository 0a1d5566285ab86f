package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.ClientAddress;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.server.http.Admin;
import io.headgate.server.http.LogCapture;
import io.headgate.server.http.RunningService;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong tokens are throttled, and logged like the actions of administrators. */
class TokenGuessThrottleTest {
  private static final Rule RULE =
      Rule.named("all").match("key", "*").limit(TokenBucket.of(Rate.perMinute(1000))).build();
  private final TokenSet tokens =
      TokenSet.NONE.withAdmin("adm1n", "ops").withCheck("ch3ck", "shop").withAdmin("0ther", "");

  private final AtomicLong nanos = new AtomicLong(-5_000_000_000L); // nanoTime may be negative

  private static String token(String token) {
    return "Authorization: Bearer " + token;
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/rules", "/v1/whoami"})
  void addressWithTooManyWrongTokensMustWaitExceptForTokensAcceptedBefore(String path) {
    var access = new AccessControl(tokens, nanos::get);
    try (var service = RunningService.withAccess(access, RULE);
        var client = new Admin(service.port())) {
      assertThat(client.get(path, token("adm1n")).status()).isEqualTo(200);
      int rejected = path.equals("/v1/whoami") ? 200 : 401;
      for (int i = 0; i < TokenGuessThrottle.BURST; i++) {
        assertThat(client.get(path, token("guess" + i)).status()).isEqualTo(rejected);
      }
      var refused = client.get(path, token("guess"));
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("Retry-After")).isEqualTo("4");
      assertThat(refused.body()).contains("too many wrong tokens").doesNotContain("guess\"");
      // A valid token must not be revealed by its status.
      assertThat(client.get(path, token("0ther")).status()).isEqualTo(429);
      // Other clients of the same address are not affected, with and without a token.
      assertThat(client.get(path, token("adm1n")).status()).isEqualTo(200);
      assertThat(client.get("/health/ready").status()).isEqualTo(200);

      nanos.addAndGet(TokenGuessThrottle.PERIOD_NANOS + 1);
      assertThat(client.get(path, token("0ther")).status()).isEqualTo(200);
      assertThat(client.get(path, token("guess")).status()).isEqualTo(rejected);
      assertThat(client.get(path, token("guess")).status()).isEqualTo(429);
    }
  }

  @Test
  void addressesAreBoundedAndIndependent() {
    var throttle = new TokenGuessThrottle(nanos::get);
    for (int i = 0; i < 3 * TokenGuessThrottle.MAX_ADDRESSES; i++) {
      var from = ClientAddress.parse("10.%d.%d.1".formatted(i >> 8, i & 255)).orElseThrow();
      for (int n = 0; n < TokenGuessThrottle.BURST; n++) {
        assertThat(throttle.waitNanos(from)).isZero();
        throttle.recordFailure(from, Role.ADMIN);
      }
      assertThat(throttle.waitNanos(from)).isPositive();
    }
    assertThat(throttle.size()).isEqualTo(TokenGuessThrottle.MAX_ADDRESSES);
    nanos.addAndGet(TokenGuessThrottle.BURST * TokenGuessThrottle.PERIOD_NANOS);
    var last = ClientAddress.parse("10.47.255.1").orElseThrow();
    assertThat(throttle.waitNanos(last)).isZero();
    assertThat(throttle.size()).isEqualTo(TokenGuessThrottle.MAX_ADDRESSES - 1);
  }

  @Test
  void wrongTokensWrongRolesAndResetsAreLoggedWithoutTheToken() {
    var access = new AccessControl(tokens, nanos::get);
    try (var log = new LogCapture("io.headgate.audit").withInfo();
        var service = RunningService.withAccess(access, RULE);
        var client = new Admin(service.port())) {
      client.get("/v1/rules", token("s3cret"));
      assertThat(log.text())
          .isEqualTo("refused: a wrong token from 127.0.0.1 where read is needed");
      for (int i = 0; i < 5; i++) client.get("/v1/rules", token("s3cret"));
      nanos.addAndGet(60_000_000_000L);
      client.send("POST", "/v1/reset", "{\"key\":\"k\",\"rule\":\"all\"}", token("ch3ck"));
      assertThat(log.text())
          .endsWith(
              "\nrefused: a check token from 127.0.0.1 where admin is needed"
                  + " (and 5 more since the last such line)");
      var reset =
          client.send("POST", "/v1/reset", "{\"key\":\"k\",\"rule\":\"all\"}", token("adm1n"));
      assertThat(reset.status()).as(reset.body()).isEqualTo(200);
      assertThat(log.text())
          .contains("\nreset: token ops from 127.0.0.1 reset rule all of {key=k")
          .doesNotContain("s3cret", "adm1n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ops", "Ops", " o%EF%BD%90s", "eve with token ops", "eve With%20%20Token ops"})
  void authorCannotBeTheNameOfAnotherToken(String author) {
    try (var service = RunningService.withAccess(new AccessControl(tokens), RULE);
        var client = new Admin(service.port())) {
      var refused =
          client.send(
              "DELETE", "/v1/rules/all", "", token("0ther"), "X-Headgate-Author: " + author);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.body()).contains("must not resemble the name of a token");
      var deleted =
          client.send("DELETE", "/v1/rules/all", "", token("adm1n"), "X-Headgate-Author: eve");
      assertThat(deleted.body()).contains("\"author\":\"eve with token ops\"");
    }
  }
}
