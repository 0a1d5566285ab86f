package io.headgate.server.gateway;

import static io.headgate.server.gateway.Visitor.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.testkit.net.PathSpellings;
import io.headgate.testkit.net.RawHttp;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The configurations below examples/nginx in a real nginx. */
class NginxTest {
  private static final RuleSet PATH_RULES =
      RuleSet.of(
          pathRule("login", "/login"), pathRule("health", "/health"), pathRule("api", "/api/*"));

  private final Limiter limiter = new Limiter();
  private final Application application = new Application();

  @AfterEach
  void stop() {
    application.close();
    limiter.close();
  }

  private Gateway nginx(String example) {
    return Gateway.nginx(example, limiter.port(), application.port(), UnaryOperator.identity());
  }

  private static void assertIsLimited(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
    assertThat(Integer.parseInt(header(answer, "Retry-After"))).isBetween(1, 3_600);
    assertThat(header(answer, "RateLimit-Policy")).isEqualTo("\"per-ip\";q=3;w=3600");
    assertThat(header(answer, "RateLimit")).startsWith("\"per-ip\";r=0;t=");
    assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
    assertThat(header(answer, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.body()).contains("#quota-exceeded");
  }

  @Test
  void aVisitorOverTheLimitLearnsWhenToComeBackAndTheApplicationHearsNothing() {
    try (var nginx = nginx("fail-open.conf");
        var visitor = new Visitor(nginx)) {
      for (int left = 2; left >= 0; left--) {
        var answer = visitor.get("/a?b=c");
        assertThat(answer.statusCode()).as(nginx.log()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("served GET");
        assertThat(header(answer, "RateLimit")).startsWith("\"per-ip\";r=" + left + ";t=");
        assertThat(limiter.left("127.0.0.1")).isEqualTo(left);
      }
      assertIsLimited(visitor.get("/a"));
      assertThat(application.requests).hasValue(3);
    }
  }

  @Test
  void requestThatWouldWaitLongerThanTheProxyIsDeniedAndChargesNothing() {
    try (var proxy = nginx("fail-open.conf");
        var visitor = new Visitor(proxy)) {
      assertThat(visitor.get("/queue").statusCode()).as(proxy.log()).isEqualTo(200);
      for (int i = 0; i < 3; i++) {
        var answer = visitor.get("/queue");
        assertThat(answer.statusCode()).as(proxy.log()).isEqualTo(429);
        assertThat(Integer.parseInt(header(answer, "Retry-After"))).isBetween(3_500, 3_600);
      }
      assertThat(application.requests).hasValue(1);
      assertThat(limiter.left("127.0.0.1")).isEqualTo(2);
    }
  }

  @Test
  void aRequestWithABodyIsChargedOnceAndArrivesWhole() {
    try (var nginx = nginx("fail-open.conf");
        var visitor = new Visitor(nginx)) {
      assertThat(visitor.post("/a", "x".repeat(100_000)).body()).isEqualTo("served POST");
      assertThat(limiter.left("127.0.0.1")).isEqualTo(2);
    }
  }

  @Test
  void whatAVisitorSaysAboutItselfIsNotPassedOn() {
    try (var nginx = nginx("fail-open.conf");
        var visitor = new Visitor(nginx)) {
      visitor.get("/a", "X-Real-IP", "192.0.2.1", "X-Headgate-Key", "other");
      visitor.get("/a", "X-Forwarded-For", "192.0.2.1", "X-Headgate-Cost", "0");
      visitor.get("/a", "X-Original-URI", "/secret", "Forwarded", "for=192.0.2.1");
      assertThat(limiter.left("192.0.2.1")).isEqualTo(3);
      assertThat(limiter.left("127.0.0.1")).isEqualTo(0);
    }
  }

  @Test
  void anotherStatusOfARuleAndThe403OfTheApplicationArriveAsTheyAre() {
    try (var nginx = nginx("fail-open.conf");
        var visitor = new Visitor(nginx)) {
      assertThat(visitor.get("/secret").statusCode()).isEqualTo(200);
      assertThat(visitor.get("/%73ecret?a").statusCode()).isEqualTo(503);
      assertThat(visitor.get("/forbidden").statusCode()).isEqualTo(403);
      assertThat(visitor.get("/_headgate").statusCode()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fail-open.conf", "fail-closed.conf"})
  void denyRuleIsForbiddenAndNotAnExhaustedQuota(String example) {
    try (var nginx = nginx(example);
        var visitor = new Visitor(nginx)) {
      var answer = visitor.get("/blocked");
      assertThat(answer.statusCode()).as(nginx.log()).isEqualTo(403);
      assertThat(answer.body()).contains("\"status\":403");
      assertThat(application.requests).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fail-open.conf", "fail-closed.conf"})
  void statusesOfRulesArriveAsTheyAre(String example) {
    try (var nginx = nginx(example);
        var visitor = new Visitor(nginx)) {
      visitor.get("/secret");
      assertThat(visitor.get("/secret").statusCode()).as(nginx.log()).isEqualTo(503);
      var ambiguous = visitor.get("//x/../%73ecret?a");
      assertThat(ambiguous.statusCode()).as(nginx.log()).isEqualTo(400);
      assertThat(ambiguous.body()).contains("\"status\":400");
      assertThat(limiter.left("127.0.0.1")).isEqualTo(2);
    }
  }

  /** The rule is that of the location which nginx selects, or the request is denied. */
  @Test
  void noSpellingReachesALocationUnderTheRuleOfAnother() throws IOException {
    var reached = new TreeMap<String, Integer>();
    var wrong = new ArrayList<String>();
    limiter.replaceRules(PATH_RULES);
    try (var nginx =
        Gateway.nginx(
            "fail-open.conf", limiter.port(), application.port(), NginxTest::withLocations)) {
      for (var target : PathSpellings.of("nginx", 500)) {
        var reply = RawHttp.get(nginx.port(), target);
        String location = reply.header("X-Location");
        if (location.isEmpty() || reply.status() == 301) continue; // /api is redirected to /api/
        reached.merge(location, 1, Integer::sum);
        String policy = reply.header("RateLimit-Policy");
        String limited = policy.isEmpty() ? "other" : policy.substring(1, policy.indexOf('"', 1));
        if (!limited.equals(location)) {
          wrong.add("%s reaches %s, limited as %s".formatted(target, location, limited));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(reached).containsOnlyKeys("api", "health", "login", "other");
    assertThat(reached.values()).allMatch(count -> count > 1, "is reached by several spellings");
  }

  private static Rule pathRule(String name, String path) {
    return Rule.named(name)
        .match("path", path)
        .per()
        .limit(FixedWindow.of(Rate.perDay(1_000_000)))
        .build();
  }

  /** Adds a location for each rule, like that of the example. */
  private static String withLocations(String site) {
    int from = site.indexOf("    location / {");
    String other = site.substring(from, site.indexOf("    }\n", from) + 6);
    var all = new StringBuilder(site.substring(0, from));
    Map.of("/", "other", "= /login", "login", "= /health", "health", "/api/", "api")
        .forEach((path, name) ->
            all.append(
                other.replace(
                    "location / {",
                    "location " + path + " {\n add_header X-Location " + name + " always;")));
    return all.append(site.substring(from + other.length())).toString();
  }

  @Test
  void withoutTheLimiterRequestsPassWhereThatIsWanted() {
    try (var nginx = nginx("fail-open.conf");
        var visitor = new Visitor(nginx)) {
      limiter.stop();
      for (int i = 0; i < 5; i++) {
        assertThat(visitor.get("/a").body()).as(nginx.log()).isEqualTo("served GET");
      }
    }
  }

  @Test
  void withoutTheLimiterNobodyPassesWhereThatIsWanted() {
    try (var nginx = nginx("fail-closed.conf");
        var visitor = new Visitor(nginx)) {
      assertThat(visitor.get("/page.html").body()).isEqualTo("<p>page");
      limiter.stop();
      var answer = visitor.get("/page.html");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(header(answer, "Retry-After")).isEqualTo("1");
    }
  }

  @Test
  void anIndexPageIsChargedOnce() {
    try (var nginx = nginx("fail-closed.conf");
        var visitor = new Visitor(nginx)) {
      assertThat(visitor.get("/").body()).as(nginx.log()).isEqualTo("<p>welcome");
      assertThat(limiter.left("127.0.0.1")).isEqualTo(2);
      assertThat(visitor.get("/page.html").body()).isEqualTo("<p>page");
      assertThat(visitor.get("/nothing").statusCode()).isEqualTo(404);
      assertThat(limiter.left("127.0.0.1")).isEqualTo(0);
      assertIsLimited(visitor.get("/"));
    }
  }

  /** Why the example does it otherwise. */
  @Test
  void byIndexItWouldBeChargedTwice() {
    UnaryOperator<String> byIndex =
        site -> site.replace("try_files $uri $uri/index.html =404;", "index index.html;");
    try (var nginx =
            Gateway.nginx("fail-closed.conf", limiter.port(), application.port(), byIndex);
        var visitor = new Visitor(nginx)) {
      assertThat(visitor.get("/").body()).isEqualTo("<p>welcome");
      assertThat(limiter.left("127.0.0.1")).isEqualTo(1);
    }
  }
}
