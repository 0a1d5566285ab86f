package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.TruncatedText;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RawConnection;
import io.headgate.server.http.RunningService;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardAuthTest {
  private static final Rate TWO = Rate.of(2, Duration.ofHours(1));
  private static final Rule PER_IP =
      Rule.named("per-ip").match("ip", "*").limit(FixedWindow.of(TWO)).build();
  private static final Rule LOGIN =
      Rule.named("login")
          .match("path", "/login")
          .property("status", "503")
          .limit(FixedWindow.of(TWO))
          .build();
  private static final Rule PER_KEY =
      Rule.named("per-key").match("key", "*").limit(FixedWindow.of(TWO)).build();
  private static final Rule POSTS =
      Rule.named("posts")
          .match("method", "POST")
          .match("host", "example.com")
          .limit(FixedWindow.of(TWO))
          .build();

  private final TrustedProxies proxies = TrustedProxies.of(List.of("127.0.0.1"));
  private final RunningService service =
      RunningService.behind(proxies, LOGIN, PER_KEY, POSTS, tenants());

  private static Rule tenants() {
    return Rule.named("tenants").match("tenant", "*").limit(FixedWindow.of(TWO)).build();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static RawAnswer gate(RunningService service, String... headers) {
    return service.request("GET", "/v1/gate", headers);
  }

  private RawAnswer gate(String... headers) {
    return gate(service, headers);
  }

  @Test
  void allowedIs204AndDeniedIsTheStatusOfTheRule() {
    String uri = "X-Original-URI: /login?user=1";
    var yes = gate(uri);
    assertThat(yes.status()).isEqualTo(204);
    assertThat(yes.header("RateLimit")).startsWith("\"login\";r=1;t=");
    assertThat(yes.header("RateLimit-Policy")).isEqualTo("\"login\";q=2;w=3600");
    assertThat(gate(uri).status()).isEqualTo(204);
    var no = gate(uri);
    assertThat(no.status()).isEqualTo(503);
    assertThat(no.header("Retry-After")).isEqualTo("3600");
    assertThat(no.header("RateLimit")).isEqualTo("\"login\";r=0;t=3600");
    assertThat(no.header("Cache-Control")).isEqualTo("no-store");
    assertThat(no.mediaType()).isEqualTo("application/problem+json");
    assertThat(no.body())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Quota exceeded\",\"status\":503,\"violated-policies\":[\"login\"]}");
  }

  @Test
  void ruleThatDeniesEveryRequestAnswers403() {
    service.limiter.replaceRules(
        RuleSet.of(Rule.named("block").match("key", "bot").limit(new Deny()).build()));
    var no = gate("X-Headgate-Key: bot");
    assertThat(no.status()).isEqualTo(403);
    assertThat(no.headers()).doesNotContainKey("retry-after");
    assertThat(no.body())
        .isEqualTo(
            "{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,"
                + "\"violated-policies\":[\"block\"]}");
    assertThat(gate("X-Headgate-Key: human").status()).isEqualTo(204);
  }

  @Test
  void denyStatusOfTheProxyIsUsed() {
    String cost = "X-Headgate-Cost: 3";
    var no = gate("X-Original-URI: /login", "X-Headgate-Deny-Status: 403", cost);
    assertThat(no.status()).isEqualTo(403);
    assertThat(no.header("X-Headgate-Status")).isEqualTo("503");
    assertThat(gate("X-Original-URI: /", "X-Headgate-Deny-Status: 403").status()).isEqualTo(204);
    for (var unusable : List.of("X-Headgate-Deny-Status: 200", "X-Headgate-Deny-Status: x")) {
      assertThat(gate("X-Original-URI: /login", unusable, cost).status()).isEqualTo(403);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "PROPFIND",
        "TRACE",
        "FOO"
      })
  void anyMethodIsAccepted(String method) {
    String key = "X-Headgate-Key: by-" + method;
    assertThat(service.request(method, "/v1/gate", key).header("RateLimit")).contains("r=1");
    assertThat(service.request(method, "/v1/gate", key).status()).isEqualTo(204);
    assertThat(service.request(method, "/v1/gate", key).status()).isEqualTo(429);
  }

  @Test
  void methodAndHostAreReadFromTheProxyHeaders() {
    String method = "X-Original-Method: POST";
    assertThat(gate(method, "X-Original-Host: EXAMPLE.com:8443").header("RateLimit"))
        .contains("posts");
    assertThat(
            gate("X-Forwarded-Method: POST", "X-Forwarded-Host: example.com.").header("RateLimit"))
        .contains("posts");
    assertThat(gate(method, "X-Original-Host: example.org").header("RateLimit"))
        .isEqualTo("(none)");
    assertThat(gate("X-Original-Method: GET", "X-Original-Host: example.com").status())
        .isEqualTo(204);
  }

  @Test
  void attributesAndCostsAreReadFromHeaders() {
    var first = gate("x-headgate-ATTR-Tenant: acme", "X-Headgate-Cost: 2");
    assertThat(first.header("RateLimit")).startsWith("\"tenants\";r=0");
    assertThat(gate("X-Headgate-Attr-Tenant: acme").status()).isEqualTo(429);
    assertThat(gate("X-Headgate-Attr-Tenant: other", "X-Headgate-Cost-Bytes: 7").status())
        .isEqualTo(204);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "X-Headgate-Cost-: 1              | must end in a name",
        "X-Headgate-Attr-: 1              | must end in a name",
        "X-Headgate-Attr-Ip: 10.0.0.1     | sets the attribute ip, which is already set",
        "X-Headgate-Attr-Host: x          | sets the attribute host, which is already set",
        "X-Headgate-Kee: x                | is not known; allowed: X-Headgate-Key",
      })
  void invalidHeaderIsRejected(String header, String why) {
    var answer = gate(header);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains(why);
    var denied = gate(header, "X-Headgate-Deny-Status: 403");
    assertThat(denied.status()).as("a denial to every proxy").isEqualTo(403);
    assertThat(denied.header("X-Headgate-Status")).isEqualTo("400");
    assertThat(denied.body()).contains(why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1e3", "9007199254740993", "99999999999999999999", "x", "1,2"})
  void unreadableCostIsDenied(String cost) {
    assertThat(gate("X-Headgate-Key: k", "X-Headgate-Cost: " + cost).status()).isEqualTo(429);
    assertThat(gate("X-Headgate-Key: k", "X-Headgate-Cost: 0").header("RateLimit"))
        .as("and charges nothing")
        .contains("r=2");
  }

  @Test
  void valueThatIsNotUtf8HasItsOwnCounter() {
    for (var value :
        List.of("a\u00ff", "a\u00fe", "\u00ff", "\u00c3\u00a9", "a\u00ef\u00bf\u00bdFF")) {
      for (int i = 0; i < 2; i++) {
        assertThat(gate("X-Headgate-Key: " + value).status()).as(value).isEqualTo(204);
      }
      assertThat(gate("X-Headgate-Key: " + value).status()).as(value).isEqualTo(429);
    }
    for (int i = 0; i < 2; i++) gate("X-Headgate-Attr-Tenant: \u00ff");
    assertThat(gate("X-Headgate-Attr-Tenant: \u00ff").status()).isEqualTo(429);
    for (int i = 0; i < 2; i++) gate("X-Original-URI: /login?\u00ff");
    assertThat(gate("X-Original-URI: /login?\u00ff").status()).isEqualTo(503);
    assertThat(gate("X-Original-Method: \u00ff", "X-Original-Host: \u0080").status())
        .isEqualTo(204);
  }

  @Test
  void tooLongKeyHasItsOwnCounter() {
    String prefix = "X-Headgate-Key: " + "k".repeat(3_000);
    for (int i = 0; i < 2; i++) assertThat(gate(prefix + "1").status()).isEqualTo(204);
    assertThat(gate(prefix + "1").status()).isEqualTo(429);
    assertThat(gate(prefix + "2").status()).isEqualTo(204);
    assertThat(gate("X-Original-Method: " + "M".repeat(3_000)).status()).isEqualTo(204);
  }

  /** nginx treats a status other than 401 and 403 as an error, and may let the request pass. */
  @Test
  void invalidHttpIsDeniedAtTheForwardAuthEndpoint() {
    assertThat(gate("X-Headgate-Key: a\u0001b").status()).isEqualTo(403);
    assertThat(gate("X-Headgate-Key: " + "k".repeat(40_000)).status()).isEqualTo(403);
    assertThat(service.request("GET", "/v1/check", "X-Any: " + "k".repeat(40_000)).status())
        .isEqualTo(431);
  }

  /** A proxy may forward these headers of its client; an error would pass where it fails open. */
  @ParameterizedTest
  @ValueSource(strings = {"Expect: miracles", "Content-Length: 99999999"})
  void headersOfABodyThatIsIgnoredDoNotPreventTheDecision(String header) {
    String key = "X-Headgate-Key: with-" + header.substring(0, 6);
    assertThat(gate(key, header).header("RateLimit")).contains("r=1");
    assertThat(gate(key, header).status()).isEqualTo(204);
    assertThat(gate(key, header).status()).isEqualTo(429);
  }

  @Test
  void longestHeadersOfNginxAreDecided() {
    String eight = "v".repeat(8_000);
    var answer =
        gate("X-Headgate-Key: " + eight, "X-Original-URI: /" + eight, "X-Original-Host: " + eight);
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.header("RateLimit")).contains("per-key");
  }

  @Test
  void tooManyAttributesAreRejected() {
    assertThat(gate("X-Original-URI: /" + "./".repeat(2_000)).status()).isEqualTo(204);
    assertThat(gate("X-Headgate-Attr-" + "n".repeat(65) + ": 1").status()).isEqualTo(400);
    var many =
        IntStream.range(0, 31)
            .mapToObj(i -> "X-Headgate-Attr-A" + i + ": 1")
            .toArray(String[]::new);
    assertThat(gate(many).body()).contains("is one too many; a subject may have 32");
  }

  /** A rejected request would pass a proxy that fails open. */
  @Test
  void tooLongPathOrHostIsCounted() {
    String path = "X-Original-URI: /login?/" + "a".repeat(3_000);
    assertThat(gate(path).header("RateLimit")).contains("login");
    assertThat(gate("X-Original-URI: /" + "a".repeat(3_000)).status()).isEqualTo(204);
    assertThat(gate("X-Original-Host: " + "h".repeat(3_000)).status()).isEqualTo(204);
  }

  @Test
  void truncatedValuesKeepTheirPrefixAndStayDistinct() {
    String one = TruncatedText.of("/login/" + "a".repeat(3_000));
    String other = TruncatedText.of("/login/" + "a".repeat(3_001));
    assertThat(one).startsWith("/login/").hasSizeLessThanOrEqualTo(1_024).isNotEqualTo(other);
    assertThat(TruncatedText.of("a".repeat(1_024))).isEqualTo("a".repeat(1_024));
    assertThat(TruncatedText.of(one))
        .as("a value in truncated form is another value")
        .isNotEqualTo(one);
    String pairs = TruncatedText.of("a" + "\ud83d\ude00".repeat(600));
    assertThat(pairs.chars().filter(c -> Character.isHighSurrogate((char) c)).count())
        .isEqualTo(pairs.chars().filter(c -> Character.isLowSurrogate((char) c)).count());
  }

  @Test
  void contradictingHeadersAreRejected() {
    assertThat(gate("X-Original-URI: /free", "X-Forwarded-Uri: /login").body())
        .contains("X-Original-URI and X-Forwarded-Uri differ");
    assertThat(gate("X-Headgate-Key: a", "X-Headgate-Key: b").body())
        .contains("X-Headgate-Key is given 2 times");
    assertThat(gate("X-Original-URI: /login", "X-Forwarded-Uri: /login").header("RateLimit"))
        .contains("login");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/login", "/%6c%6fgin", "/login?a=b", "http://other.example/login"})
  void noSpellingOfAPathBypassesARule(String uri) {
    assertThat(gate("X-Original-URI: " + uri, "X-Headgate-Cost: 3").status()).isEqualTo(503);
  }

  /** A spelling that some servers read as /login, and others as another path. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "//login",
        "/./login",
        "/x/../login",
        "/login;x=1",
        "/login%3bx",
        "/%2e/login",
        "/x/%2e%2e%2flogin",
        "/login;%2f..%2fhealth",
        "/health/..;/login",
        "/x\\..\\login",
        "/x%5c..%5clogin",
        "/login%00.txt",
        "/login%0a",
        "/login#x",
      })
  void ambiguousSpellingIsDenied(String uri) {
    var refused = gate("X-Original-URI: " + uri, "X-Headgate-Cost: 0");
    assertThat(refused.status()).as("a denial to every proxy").isEqualTo(403);
    assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
    assertThat(refused.body()).contains("different ways");
    var mapped = gate("X-Original-URI: " + uri, "X-Headgate-Deny-Status: 401");
    assertThat(mapped.status()).isEqualTo(401);
    assertThat(mapped.header("X-Headgate-Status")).isEqualTo("400");
  }

  @Test
  void spellingWithManyReadingsIsDenied() {
    String hostile = "/a;x" + "/..;/%2f..%5c..//%00/%2e%2e;%2f/./%3b".repeat(20);
    assertThat(gate("X-Original-URI: " + hostile).status()).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/files/a%2Fb", "/files;v=1/a", "//files//a", "/files/../a", "/caf%E9"})
  void spellingWhoseReadingsHaveTheSameLimitsIsDecided(String uri) {
    String key = "X-Headgate-Key: " + uri;
    for (int i = 0; i < 2; i++) {
      assertThat(gate("X-Original-URI: " + uri, key).status()).isEqualTo(204);
    }
    assertThat(gate("X-Original-URI: " + uri, key).status()).as("charged once").isEqualTo(429);
  }

  @Test
  void exemptReadingExcusesNoOther() {
    service.limiter.replaceRules(
        RuleSet.of(
            Rule.named("health").match("path", "/health").exempt().build(),
            Rule.named("all")
                .match("path", "/*")
                .per("ip")
                .limit(FixedWindow.of(Rate.perHour(1_000)))
                .build()));
    assertThat(gate("X-Original-URI: /health").header("RateLimit")).isEqualTo("(none)");
    assertThat(gate("X-Original-URI: /login;%2f..%2fhealth").status()).isEqualTo(403);
    assertThat(gate("X-Original-URI: /api/..;/health").status()).isEqualTo(403);
    assertThat(gate("X-Original-URI: /api/..;/login").status()).isEqualTo(204);
  }

  @Test
  void shadowRuleDeniesNoAmbiguousPath() {
    service.limiter.replaceRules(
        RuleSet.of(
            Rule.named("login")
                .match("path", "/login")
                .mode(Mode.SHADOW)
                .limit(FixedWindow.of(TWO))
                .build()));
    assertThat(gate("X-Original-URI: //login").status()).isEqualTo(204);
  }

  @Test
  void proxyMayStateThatTheApplicationRemovesPathParameters() {
    String remove = "X-Headgate-Path-Parameters: remove";
    assertThat(gate("X-Original-URI: /login;jsessionid=1", remove).header("RateLimit"))
        .startsWith("\"login\";r=1");
    assertThat(gate("X-Original-URI: /login;%2f..%2fhealth", remove).header("RateLimit"))
        .startsWith("\"login\";r=0");
    assertThat(gate("X-Original-URI: /health/..;/login", remove).status()).isEqualTo(403);
    assertThat(gate("X-Original-URI: /", "X-Headgate-Path-Parameters: keep").status())
        .isEqualTo(400);
  }

  /** Some applications treat methods as case-insensitive. */
  @Test
  void methodInLowerCaseIsNotLessLimited() {
    String host = "X-Original-Host: example.com";
    assertThat(gate("X-Original-Method: post", host).status()).isEqualTo(403);
    assertThat(gate("X-Original-Method: post").status()).isEqualTo(204);
  }

  @Test
  void trustedProxyReportsTheCaller() {
    try (var trusting = RunningService.behind(proxies, PER_IP)) {
      for (int i = 0; i < 2; i++) {
        assertThat(gate(trusting, "X-Real-IP: 192.0.2.1").status()).isEqualTo(204);
        assertThat(gate(trusting, "X-Forwarded-For: 1.1.1." + i + ", 192.0.2.2").status())
            .isEqualTo(204);
      }
      assertThat(gate(trusting, "X-Real-IP: 192.0.2.1").status()).isEqualTo(429);
      assertThat(gate(trusting, "X-Forwarded-For: 9.9.9.9, 192.0.2.2").status()).isEqualTo(429);
      assertThat(gate(trusting, "X-Real-IP: 192.0.2.3").status()).isEqualTo(204);
    }
  }

  @Test
  void untrustedPeerCountsAsTheCaller() {
    try (var alone = RunningService.behind(TrustedProxies.NONE, PER_IP)) {
      assertThat(gate(alone, "X-Real-IP: 192.0.2.1").status()).isEqualTo(204);
      assertThat(gate(alone, "X-Forwarded-For: 192.0.2.2").status()).isEqualTo(204);
      assertThat(gate(alone, "Forwarded: for=192.0.2.3").status()).isEqualTo(429);
    }
  }

  @Test
  void ipv6NetworkIsOneCallerAndMappedAddressesAreIpv4() {
    try (var trusting = RunningService.behind(proxies, PER_IP)) {
      assertThat(gate(trusting, "X-Real-IP: 2001:db8:0:1::1").status()).isEqualTo(204);
      assertThat(gate(trusting, "X-Real-IP: 2001:DB8:0000:1:ffff::2").status()).isEqualTo(204);
      assertThat(gate(trusting, "Forwarded: for=\"[2001:db8::1:9:8:7:6]:443\"").status())
          .isEqualTo(429);
      assertThat(gate(trusting, "X-Real-IP: 2001:db8:0:2::1").status()).isEqualTo(204);
      assertThat(gate(trusting, "X-Real-IP: ::ffff:192.0.2.7").status()).isEqualTo(204);
      assertThat(gate(trusting, "X-Real-IP: ::ffff:c000:207").status()).isEqualTo(204);
      assertThat(gate(trusting, "X-Real-IP: 192.0.2.7").status()).isEqualTo(429);
    }
  }

  @Test
  void queueDelaysTheResponseAndSlotsAreNotKept() {
    var line =
        Rule.named("line")
            .match("key", "line")
            .limit(LeakyBucket.of(Rate.of(1, Duration.ofMillis(300))).withQueue(3))
            .build();
    var slots =
        Rule.named("slots")
            .match("key", "slots")
            .limit(Concurrency.of(1).withLease(Duration.ofHours(1)))
            .build();
    try (var queueing = RunningService.behind(proxies, line, slots)) {
      assertThat(gate(queueing, "X-Headgate-Key: line").status()).isEqualTo(204);
      assertThat(gate(queueing, "X-Headgate-Key: line").status()).isEqualTo(204);
      for (int i = 0; i < 3; i++) {
        assertThat(gate(queueing, "X-Headgate-Key: slots").status()).isEqualTo(204);
      }
    }
  }

  @Test
  void delayBeyondTheMaximumIsDeniedCountedAndTakesNoPlace() {
    var line =
        Rule.named("line")
            .match("key", "line")
            .limit(LeakyBucket.of(Rate.of(1, Duration.ofMinutes(1))).withQueue(3))
            .build();
    try (var queueing = RunningService.behind(proxies, line)) {
      String[] request = {"X-Headgate-Key: line", "X-Headgate-Max-Wait-Ms: 500"};
      assertThat(gate(queueing, request).status()).isEqualTo(204);
      for (int i = 0; i < 2; i++) {
        var denied = gate(queueing, request);
        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.header("Retry-After")).isEqualTo("60");
      }
      assertThat(queueing.request("GET", "/metrics").body())
          .contains(
              "headgate_decisions_total{outcome=\"denied\",rule=\"line\",source=\"store\"} 2.0")
          .contains(
              "headgate_decisions_total{outcome=\"allowed\",rule=\"line\",source=\"store\"} 1.0");
      Eventually.holds(
          "the rule has denied",
          Duration.ofSeconds(30),
          () ->
              queueing
                  .request("GET", "/v1/stats")
                  .body()
                  .contains("\"totals\":{\"allowed\":1,\"denied\":2,"));
    }
  }

  @Test
  void disconnectedCallerIsCharged() {
    String key = "X-Headgate-Key: gone";
    try (var connection = service.connect()) {
      connection.send(RawConnection.head("GET /v1/gate", key, "X-Headgate-Cost: 2"));
    }
    org.awaitility.Awaitility.await()
        .until(() -> gate(key, "X-Headgate-Cost: 0").header("RateLimit").contains("r=0"));
    assertThat(gate(key).status()).isEqualTo(429);
  }

  @Test
  void checkTokenIsRequiredIfSet() {
    try (var closed = RunningService.withTokens("adm1n", "ch3ck", PER_KEY)) {
      assertThat(gate(closed, "X-Headgate-Key: k").status()).isEqualTo(401);
      assertThat(gate(closed, "X-Headgate-Key: k", "Authorization: Bearer ch3ck").status())
          .isEqualTo(204);
    }
  }
}
