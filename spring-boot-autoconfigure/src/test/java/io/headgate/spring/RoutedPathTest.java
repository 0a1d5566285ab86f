package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.testkit.net.PathSpellings;
import io.headgate.testkit.net.RawHttp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sends many spellings of paths to Spring MVC in Tomcat and to WebFlux in Reactor Netty: the rule
 * that applies is always that of the handler which is reached.
 */
class RoutedPathTest {
  private static final int TARGETS = 500;

  private static final String RULES =
      """
      rules:
        - { id: login, match: { path: [/login, /base/login] }, per: [], limit: { algorithm: fixed-window, rate: 1000000/1d } }
        - { id: health, match: { path: /health }, limit: { algorithm: fixed-window, rate: 1000000/1d } }
        - { id: api, match: { path: [/api, "/api/*"] }, per: [], limit: { algorithm: fixed-window, rate: 1000000/1d } }
        - { id: route, match: { route: /routed }, limit: { algorithm: fixed-window, rate: 1000000/1d } }
      """;

  /** Which of the two applications a test calls. */
  enum Web {
    SERVLET("spring.mvc.servlet.path"),
    REACTIVE("spring.webflux.base-path");

    private final String basePath;

    Web(String basePath) {
      this.basePath = basePath;
    }
  }

  @SpringBootConfiguration
  @EnableAutoConfiguration(
      excludeName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration")
  @Import(Handlers.class)
  static class Application {
    @Bean
    RuleSet rules() {
      return RuleSet.of(RuleFile.read(RULES));
    }
  }

  @RestController
  static class Handlers {
    private static ResponseEntity<String> named(String name) {
      return ResponseEntity.ok().header("X-Handler", name).body(name);
    }

    @GetMapping("/login")
    ResponseEntity<String> login() {
      return named("login");
    }

    @GetMapping("/health")
    ResponseEntity<String> health() {
      return named("health");
    }

    @GetMapping("/api/**")
    ResponseEntity<String> api() {
      return named("api");
    }

    @GetMapping("/routed")
    ResponseEntity<String> routed() {
      return named("route");
    }

    @GetMapping("/**")
    ResponseEntity<String> other() {
      return named("other");
    }
  }

  private static ConfigurableApplicationContext start(Web web, String... properties) {
    var all = new ArrayList<>(List.of(properties));
    all.addAll(
        List.of(
            "server.address=127.0.0.1",
            "server.port=0",
            "spring.main.banner-mode=off",
            "spring.cloud.gateway.server.webflux.enabled=false",
            "headgate.store=memory",
            "headgate.web.route=true",
            "management.health.redis.enabled=false"));
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.valueOf(web.name()))
        .properties(all.toArray(String[]::new))
        .run();
  }

  private static int port(ConfigurableApplicationContext context) {
    return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  private static String limitedBy(RawHttp.Reply reply) {
    String policy = reply.header("RateLimit-Policy");
    return policy.isEmpty() ? "other" : policy.substring(1, policy.indexOf('"', 1));
  }

  @ParameterizedTest
  @EnumSource
  void ruleIsThatOfTheHandler(Web web) throws IOException {
    var wrong = new ArrayList<String>();
    var reached = new TreeMap<String, Integer>();
    try (var application = start(web)) {
      for (var target : PathSpellings.of(web.name(), TARGETS)) {
        var reply = RawHttp.get(port(application), target);
        String handler = reply.header("X-Handler");
        if (handler.isEmpty()) continue;
        reached.merge(handler, 1, Integer::sum);
        String limited = limitedBy(reply);
        if (!limited.equals(handler)) {
          wrong.add("%s reaches %s, limited as %s".formatted(target, handler, limited));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(reached).containsOnlyKeys("api", "health", "login", "other");
    assertThat(reached.values()).allMatch(count -> count > 1, "is reached by several spellings");
  }

  @ParameterizedTest
  @EnumSource
  void ambiguousPathIsABadRequest(Web web) throws IOException {
    try (var application = start(web)) {
      var reply = RawHttp.get(port(application), "/api/../health");
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
      assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
    }
  }

  /** A client can send the header where no proxy removes it. */
  @ParameterizedTest
  @EnumSource
  void forwardedPrefixIsNoPartOfThePath(Web web) throws IOException {
    try (var application = start(web, "server.forward-headers-strategy=framework")) {
      var reply = RawHttp.get(port(application), "/login", "X-Forwarded-Prefix: /x");
      assertThat(reply.header("X-Handler")).isEqualTo("login");
      assertThat(limitedBy(reply)).isEqualTo("login");
    }
  }

  @ParameterizedTest
  @EnumSource
  void pathHasTheBasePathAndTheRouteHasNot(Web web) throws IOException {
    try (var application = start(web, web.basePath + "=/base")) {
      assertThat(limitedBy(RawHttp.get(port(application), "/base/login"))).isEqualTo("login");
      assertThat(limitedBy(RawHttp.get(port(application), "/base/routed"))).isEqualTo("route");
    }
  }

  @Test
  void pathHasTheContextPath() throws IOException {
    try (var application = start(Web.SERVLET, "server.servlet.context-path=/base")) {
      assertThat(limitedBy(RawHttp.get(port(application), "/base/login"))).isEqualTo("login");
      assertThat(limitedBy(RawHttp.get(port(application), "/%62ase/login"))).isEqualTo("login");
      assertThat(limitedBy(RawHttp.get(port(application), "/base/routed"))).isEqualTo("route");
    }
  }
}
