package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.http.Admin;
import io.headgate.server.http.RunningService;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenSetTest {
  private static final Rule RULE =
      Rule.named("all").limit(FixedWindow.of(Rate.perHour(1_000))).build();
  private static final TokenSet ALL =
      TokenSet.NONE
          .withAdmin("adm1n-old", "")
          .withAdmin("adm1n-new", "Anna")
          .withRead("r3ad", "dashboard")
          .withCheck("ch3ck-old", "")
          .withCheck("ch3ck-new", "");

  private static int status(RunningService service, String path, String token) {
    String body = path.equals("/v1/reset") ? "{\"key\":\"k\",\"rule\":\"all\"}" : "{\"key\":\"k\"}";
    return service.post(path, body, "Authorization: Bearer " + token).status();
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/check,200,403,200",
    "/v1/slots,200,403,200",
    "/v1/peek,200,200,200",
    "/v1/explain,403,200,200",
    "/v1/reset,403,403,200",
  })
  void eachRolePermitsItsOperationsAndAdminAll(String path, int check, int read, int admin) {
    try (var service = RunningService.withAccess(new AccessControl(ALL), RULE)) {
      assertThat(status(service, path, "ch3ck-new")).isEqualTo(check);
      assertThat(status(service, path, "r3ad")).isEqualTo(read);
      assertThat(status(service, path, "adm1n-new")).isEqualTo(admin);
      assertThat(status(service, path, "other")).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/check,200,200,200,200",
    "/v1/usage,403,200,403,200",
    "/v1/leases,403,403,200,200",
    "/v1/peek,200,200,200,200",
    "/v1/explain,403,403,403,200",
  })
  void usageAndLeasesMayHaveTokensOfTheirOwn(
      String path, int check, int usage, int lease, int admin) {
    var tokens = ALL.withUsage("us4ge", "").withLease("le4se", "");
    try (var service = RunningService.withAccess(new AccessControl(tokens), RULE)) {
      assertThat(status(service, path, "ch3ck-new")).isEqualTo(check);
      assertThat(status(service, path, "us4ge")).isEqualTo(usage);
      assertThat(status(service, path, "le4se")).isEqualTo(lease);
      assertThat(status(service, path, "adm1n-new")).isEqualTo(admin);
      assertThat(status(service, path, "other")).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/usage", "/v1/leases"})
  void checkTokenPermitsUsageAndLeasesUnlessTheyHaveTokens(String path) {
    try (var service = RunningService.withAccess(new AccessControl(ALL), RULE)) {
      assertThat(status(service, path, "ch3ck-new")).isEqualTo(200);
      assertThat(status(service, path, "r3ad")).isEqualTo(403);
    }
    try (var service = RunningService.withAccess(new AccessControl(TokenSet.NONE), RULE)) {
      assertThat(service.post(path, "{\"key\":\"k\"}").status()).isEqualTo(200);
    }
  }

  @Test
  void oldAndNewTokenAreValidUntilTheOldIsRemoved() {
    var access = new AccessControl(ALL);
    try (var service = RunningService.withAccess(access, RULE)) {
      assertThat(status(service, "/v1/check", "ch3ck-old")).isEqualTo(200);
      assertThat(status(service, "/v1/check", "ch3ck-new")).isEqualTo(200);
      access.replace(TokenSet.NONE.withAdmin("adm1n-new", "").withCheck("ch3ck-new", ""));
      assertThat(status(service, "/v1/check", "ch3ck-old")).isEqualTo(401);
      assertThat(status(service, "/v1/check", "ch3ck-new")).isEqualTo(200);
      assertThat(status(service, "/v1/reset", "adm1n-old")).isEqualTo(401);
    }
  }

  @Test
  void removingTheLastTokenOfARoleIsRejected() {
    var access = new AccessControl(ALL);
    var noCheck = TokenSet.NONE.withAdmin("adm1n-new", "").withRead("r3ad", "");
    assertThatThrownBy(() -> access.replace(noCheck))
        .hasMessageContaining("the last check token can't be removed");
    assertThatThrownBy(() -> access.replace(TokenSet.NONE.withCheck("ch3ck-new", "")))
        .hasMessageContaining("the last admin token can't be removed");
    var reading = new AccessControl(TokenSet.NONE.withRead("r3ad", ""));
    assertThatThrownBy(() -> reading.replace(TokenSet.NONE))
        .hasMessageContaining("the last read token can't be removed");
    try (var service = RunningService.withAccess(access, RULE)) {
      assertThat(service.post("/v1/check", "{\"key\":\"k\"}").status()).isEqualTo(401);
      assertThat(status(service, "/v1/check", "ch3ck-old")).isEqualTo(200);
    }
  }

  @Test
  void readingIsOpenOnlyWithoutAnyToken() {
    for (var tokens :
        new TokenSet[] {TokenSet.NONE.withAdmin("a", ""), TokenSet.NONE.withRead("r", "")}) {
      try (var service = RunningService.withAccess(new AccessControl(tokens), RULE)) {
        assertThat(service.post("/v1/explain", "{\"key\":\"k\"}").status()).isEqualTo(401);
        assertThat(service.post("/v1/check", "{\"key\":\"k\"}").status()).isEqualTo(200);
      }
    }
    var checkOnly = new AccessControl(TokenSet.NONE.withCheck("c", ""));
    try (var service = RunningService.withAccess(checkOnly, RULE)) {
      var refused = service.post("/v1/explain", "{\"key\":\"k\"}", "Authorization: Bearer c");
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.body()).contains("no read token is set").contains("--read-token");
    }
  }

  @Test
  void noMessageContainsAToken() {
    assertThat(ALL).hasToString("2 admin (Anna), 1 read (dashboard), 2 check");
    assertThat(TokenSet.NONE).hasToString("none");
    assertThatThrownBy(() -> ALL.withCheck("r3ad", ""))
        .hasMessage(
            "one token is given as read and as check token; give each role a token of its own");
    assertThatThrownBy(() -> ALL.withRead("x".repeat(513), ""))
        .hasMessage("read-token may have at most 512 characters");
    try (var service = RunningService.withAccess(new AccessControl(ALL), RULE)) {
      for (var token : new String[] {"ch3ck-old", "wr0ng"}) {
        var answer =
            service.post(
                "/v1/reset", "{\"key\":\"k\",\"rule\":\"all\"}", "Authorization: Bearer " + token);
        assertThat(answer.body()).doesNotContain(token);
      }
    }
  }

  @Test
  void repeatedTokenCountsOnce() {
    assertThat(ALL.withRead("r3ad", "again")).hasToString(ALL.toString());
  }

  @Test
  void tokenNameIdentifiesTheCaller() {
    var access = new AccessControl(ALL);
    assertThat(access.caller(Optional.of("Bearer adm1n-new"))).isEqualTo("Anna");
    assertThat(access.caller(Optional.of("Bearer adm1n-old"))).isEmpty();
    assertThat(access.caller(Optional.of("Bearer other"))).isEmpty();
    assertThat(access.caller(Optional.empty())).isEmpty();
  }

  @Test
  void authorOfAChangeIncludesTheTokenName() {
    try (var service = RunningService.withAccess(new AccessControl(ALL), RULE);
        var admin = new Admin(service.port())) {
      String token = "Authorization: Bearer adm1n-new";
      admin.delete("/v1/rules/all", token, "X-Headgate-Author: Bert");
      var revision = service.repository.inForce().revision();
      assertThat(revision.changeInfo().author()).isEqualTo("Bert with token Anna");
      admin.post("/v1/revisions/1/restore", token);
      revision = service.repository.inForce().revision();
      assertThat(revision.changeInfo().author()).isEqualTo("Anna");
    }
  }
}
