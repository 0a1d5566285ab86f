package io.headgate.spring;

import static io.headgate.spring.HttpCalls.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.spring.app.RunningHeadgate;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Applications whose requests a real service decides, with Spring MVC and with WebFlux. */
class ServiceApplicationTest {
  /** Which of the two applications a test calls. */
  enum Web {
    SERVLET,
    REACTIVE
  }

  @SpringBootConfiguration
  @EnableAutoConfiguration(
      excludeName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration")
  @Import(Pages.class)
  static class Application {}

  @RestController
  static class Pages {
    @GetMapping("/hello/{name}")
    String hello(@PathVariable String name) {
      return "hello " + name;
    }

    @Limited(rule = "2/1h", key = "#name")
    @GetMapping("/own/{name}")
    public String own(@PathVariable String name) {
      return "own " + name;
    }
  }

  private static RunningHeadgate service;
  private static ConfigurableApplicationContext servlet;
  private static ConfigurableApplicationContext reactive;

  @BeforeAll
  static void start() {
    service =
        new RunningHeadgate(
            Rule.named("two")
                .match("client", "*")
                .limits(
                    List.of(
                        RuleLimit.of("burst", FixedWindow.of(Rate.perHour(2))),
                        RuleLimit.of("daily", FixedWindow.of(Rate.perDay(100)))))
                .build(),
            Rule.named("blocked").match("path", "/hello/blocked").limit(new Deny()).build(),
            Rule.named("slots").match("path", "/hello/slot").limit(Concurrency.of(1)).build());
    servlet = application(Web.SERVLET);
    reactive = application(Web.REACTIVE);
  }

  @AfterAll
  static void stop() {
    servlet.close();
    reactive.close();
    service.close();
  }

  private static ConfigurableApplicationContext application(Web web) {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.valueOf(web.name()))
        .properties(
            "server.address=127.0.0.1",
            "server.port=0",
            "spring.main.banner-mode=off",
            "spring.cloud.gateway.server.webflux.enabled=false",
            "headgate.service.url=" + service.url(),
            "headgate.service.token=" + RunningHeadgate.TOKEN,
            "headgate.service.deadline=20s", // which a busy machine keeps
            "headgate.web.headers.[X-Client]=client",
            "management.health.redis.enabled=false",
            "management.endpoint.health.show-details=always")
        .run();
  }

  private static HttpCalls calls(Web web) {
    return calls(
        switch (web) {
          case SERVLET -> servlet;
          case REACTIVE -> reactive;
        });
  }

  private static HttpCalls calls(ConfigurableApplicationContext context) {
    return new HttpCalls(
        context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
  }

  @ParameterizedTest
  @EnumSource
  void serviceDecidesRequests(Web web) {
    try (var http = calls(web)) {
      for (int i = 0; i < 2; i++) {
        var allowed = http.get("/hello/ada", "X-Client", web.name());
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(header(allowed, "X-RateLimit-Remaining")).isEqualTo(Integer.toString(1 - i));
      }
      var denied = http.get("/hello/ada", "X-Client", web.name());
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(header(denied, "RateLimit-Policy"))
          .isEqualTo("\"two/burst\";q=2,\"two/daily\";q=100");
      assertThat(header(denied, "Retry-After")).isNotNull();
      assertThat(denied.body()).contains("\"violated-policies\":[\"two/burst\"]");
      var counted = service.limiter().peek(Subject.of("client", web.name())).limits();
      assertThat(counted.getFirst().remaining()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ruleThatDeniesEveryRequestAnswersForbidden(Web web) {
    try (var http = calls(web)) {
      assertThat(http.get("/hello/blocked").statusCode()).isEqualTo(403);
    }
  }

  @ParameterizedTest
  @EnumSource
  void slotIsReleasedAtTheServiceWhenTheResponseIsComplete(Web web) {
    try (var http = calls(web)) {
      assertThat(http.get("/hello/slot").statusCode()).isEqualTo(200);
      Eventually.holds(
          "the slot is released",
          Duration.ofSeconds(20),
          () -> service.limiter().peek(Subject.of("path", "/hello/slot")).isAllowed());
    }
  }

  @Test
  void healthNamesTheService() {
    try (var http = calls(Web.SERVLET)) {
      assertThat(http.get("/actuator/health").body())
          .contains("\"headgate\"", "service " + service.url());
    }
  }

  @Test
  void methodsHaveLimitsOfTheirOwn() {
    try (var http = calls(Web.SERVLET)) {
      assertThat(http.get("/own/bob").statusCode()).isEqualTo(200);
      assertThat(http.get("/own/bob").statusCode()).isEqualTo(200);
      assertThat(http.get("/own/bob").statusCode()).isEqualTo(429);
    }
  }
}
