package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.server.ServiceSettings;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessControlTest {
  private static final Rule RULE =
      Rule.named("all").limit(TokenBucket.of(Rate.perSecond(1)).withBurst(100)).build();
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String CHECK = "{\"key\":\"k\"}";
  private static final String RESET = "{\"key\":\"k\",\"rule\":\"all\"}";

  private static RawAnswer check(RunningService service, String... headers) {
    return service.post("/v1/check", CHECK, headers);
  }

  private static RawAnswer reset(RunningService service, String... headers) {
    return service.post("/v1/reset", RESET, headers);
  }

  @Test
  void withoutTokensEverythingIsOpen() {
    try (var service = RunningService.with(RULE)) {
      assertThat(check(service).status()).isEqualTo(200);
      assertThat(reset(service).status()).isEqualTo(200);
    }
  }

  @Test
  void withBothTokensEachPermitsItsRole() {
    try (var service = RunningService.withTokens("adm1n", "ch3ck", RULE)) {
      assertThat(check(service).status()).isEqualTo(401);
      assertThat(check(service, "Authorization: Bearer ch3ck").status()).isEqualTo(200);
      assertThat(check(service, "Authorization: Bearer adm1n").status()).isEqualTo(200);
      assertThat(reset(service, "Authorization: Bearer adm1n").status()).isEqualTo(200);
      assertThat(reset(service, "Authorization: Bearer ch3ck").status()).isEqualTo(403);
      assertThat(reset(service).status()).isEqualTo(401);
    }
  }

  @Test
  void derivedKeyDependsOnTheAdminTokenAndThePurposeOnly() {
    var access = new AccessControl(Optional.of("adm1n"), Optional.of("ch3ck"));
    var key = access.deriveKey("purpose").orElseThrow();
    assertThat(key).hasSize(32);
    assertThat(new AccessControl(Optional.of("adm1n"), Optional.empty()).deriveKey("purpose"))
        .hasValueSatisfying(same -> assertThat(same).isEqualTo(key));
    assertThat(access.deriveKey("other").orElseThrow()).isNotEqualTo(key);
    assertThat(new AccessControl(Optional.of("adm2n"), Optional.empty()).deriveKey("purpose"))
        .hasValueSatisfying(other -> assertThat(other).isNotEqualTo(key));
    assertThat(new AccessControl(Optional.empty(), Optional.of("ch3ck")).deriveKey("purpose"))
        .isEmpty();
  }

  @Test
  void adminTokenAloneLeavesChecksOpen() {
    try (var service = RunningService.withTokens("adm1n", "", RULE)) {
      assertThat(check(service).status()).isEqualTo(200);
      assertThat(reset(service).status()).isEqualTo(401);
      assertThat(reset(service, "Authorization: bearer adm1n").status()).isEqualTo(200);
    }
  }

  @Test
  void checkTokenAloneDisablesAdministration() {
    try (var service = RunningService.withTokens("", "ch3ck", RULE)) {
      assertThat(check(service, "Authorization: Bearer ch3ck").status()).isEqualTo(200);
      var refused = reset(service, "Authorization: Bearer ch3ck");
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.body()).contains("start with --admin-token");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Nothing: 1",
        "Authorization: ch3ck",
        "Authorization: Basic ch3ck",
        "Authorization: Bearer",
        "Authorization: Bearer ",
        "Authorization: Bearer ch3c",
        "Authorization: Bearer ch3ckk",
        "Authorization: Bearer CH3CK",
        "Authorization: Bearer ch3ck ch3ck"
      })
  void requestWithoutValidTokenGets401AndChargesNothing(String header) {
    try (var service = RunningService.withTokens("adm1n", "ch3ck", RULE);
        var connection = service.connect()) {
      var refused = connection.post("/v1/check", CHECK, header);
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"headgate\"");
      assertThat(refused.mediaType()).isEqualTo("application/problem+json");
      assertThat(refused.body()).doesNotContain("ch3ck");
      var good = connection.post("/v1/check", CHECK, "Authorization: Bearer ch3ck");
      assertThat(good.body()).contains("\"remaining\":99,");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/v1/check/batch", "POST,/v1/peek", "POST,/v1/explain", "POST,/v1/slots",
    "PUT,/v1/slots/x", "DELETE,/v1/slots/x", "POST,/v1/reset", "POST,/api/ratelimit/check",
    "POST,/v1/playground", "POST,/v1/what-if"
  })
  void everyEndpointWithCallerDataRequiresAToken(String method, String path) {
    try (var service = RunningService.withTokens("adm1n", "ch3ck", RULE)) {
      assertThat(service.request(method, path, "Content-Length: 0").status()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/health/live", "/health/ready"})
  void healthNeedsNoToken(String path) {
    try (var service = RunningService.withTokens("adm1n", "ch3ck", RULE)) {
      assertThat(service.request("GET", path).status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "tab\t", "line\n", "ümlaut"})
  void tokenThatNoHeaderCanCarryIsRejectedWithoutRepeatingIt(String token) {
    assertThatThrownBy(() -> new AccessControl(Optional.of(token), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("admin-token must be one or more visible ASCII characters without spaces");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  void nonLoopbackHostRequiresAnAdminToken(String host) {
    var check = new AccessControl(Optional.empty(), Optional.of("ch3ck"));
    assertThatThrownBy(() -> new ServiceSettings(host, 0, check, SECOND, SECOND, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host " + host + " can be reached from other machines")
        .hasMessageContaining("--admin-token or HEADGATE_ADMIN_TOKEN");
    var admin = new AccessControl(Optional.of("adm1n"), Optional.empty());
    assertThat(new ServiceSettings(host, 0, admin, SECOND, SECOND, 1).host()).isEqualTo(host);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
  void loopbackHostRequiresNoToken(String host) {
    assertThat(new ServiceSettings(host, 0, AccessControl.OPEN, SECOND, SECOND, 1).host())
        .isEqualTo(host);
  }
}
