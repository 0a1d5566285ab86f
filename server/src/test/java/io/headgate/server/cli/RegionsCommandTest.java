package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RegionOptions;
import io.headgate.redis.RegionalStore;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.store.RegionStoreFactory;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Runs two regions as services in this process, each with its own Redis. */
class RegionsCommandTest extends Shell {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String RULES =
      """
      rules:
        - { id: per-user, match: { key: "user:*" }, limit: { algorithm: token-bucket, rate: 1000000/1h } }
      """;

  private record Region(RegionalStore store, RateLimiter limiter, Service service)
      implements AutoCloseable {
    static Region start(String name, RedisServer regional, RedisServer home) throws Exception {
      var store =
          RegionStoreFactory.open(
              new RegionOptions(
                  name,
                  RedisOptions.builder(regional.uri()).deadline(Duration.ofSeconds(5)).build(),
                  RedisOptions.builder(home.uri()).deadline(Duration.ofSeconds(1)).build(),
                  Duration.ofSeconds(2)));
      var rules = RuleSet.of(RuleFile.read(RULES));
      var limiter = RateLimiter.with(store, rules);
      var settings =
          new ServiceSettings(
              "127.0.0.1", 0, AccessControl.OPEN, Duration.ofMinutes(1), Duration.ZERO, 1);
      var service =
          Service.start(settings, limiter, InMemoryRuleRepository.of(rules), Ticker.system());
      Eventually.holds("home grants shares to " + name, PATIENCE, store::isHomeReady);
      return new Region(store, limiter, service);
    }

    String url() {
      return "http://127.0.0.1:" + service.port();
    }

    @Override
    public void close() {
      service.close();
      limiter.close();
    }
  }

  private static String get(String url) throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create(url)).build();
      return http.send(request, BodyHandlers.ofString()).body();
    }
  }

  @Test
  @SuppressWarnings("try") // eu only has to run
  void regionsAreShownWithTheirSharesInCommandHealthAndMetrics() throws Exception {
    try (var first = RedisServer.start();
        var second = RedisServer.start()) {
      first.call("SET", "headgate:home:ready", "new");
      try (var eu = Region.start("eu", first, first);
          var us = Region.start("us", second, first)) {
        environment.put("HEADGATE_URL", us.url());
        Eventually.holds(
            "both regions report",
            PATIENCE,
            () -> {
              assertThat(run("check", "user:42")).isZero();
              return run("regions") == 0 && out.contains("  eu") && out.contains("  us");
            });
        Eventually.holds(
            "the share is shown",
            PATIENCE,
            () -> {
              assertThat(run("check", "user:42")).isZero();
              run("regions");
              return out.contains("per-user");
            });
        assertThat(out).contains("region us, home 127.0.0.1", "grants shares", "rev 1");
        assertThat(get(us.url() + "/health/ready")).contains("\"region\":{\"name\":\"us\"");
        assertThat(get(us.url() + "/metrics"))
            .contains(
                "headgate_region_home_up 1.0",
                "headgate_region_revision_lag 0.0",
                "headgate_region_home_requests_total",
                "headgate_region_held_permits{rule=\"per-user\"}");
      }
    }
  }

  @Test
  void denialWithoutHomeNamesTheRegionAndReservationsFail() throws Exception {
    try (var regional = RedisServer.start();
        var home = RedisServer.start()) {
      home.call("SET", "headgate:home:ready", "new");
      try (var us = Region.start("us", regional, home)) {
        environment.put("HEADGATE_URL", us.url());
        assertThat(reserve(us)).isEqualTo(201);
        home.kill();
        assertThat(reserve(us)).isEqualTo(503);
        Eventually.holds(
            "the share is spent or has ended",
            PATIENCE,
            () -> post(us.url() + "/v1/check", "{\"key\":\"user:1\"}").statusCode() == 429);
        var denied = post(us.url() + "/v1/check", "{\"key\":\"user:1\"}").body();
        assertThat(denied)
            .contains("\"source\":\"region\",\"reason\":\"home-unreachable\"")
            .doesNotContain("onStoreFailure");
        assertThat(run("check", "user:1")).isEqualTo(1);
        assertThat(out).contains("region: its share is spent, and home is unreachable");
        Eventually.holds(
            "the outage of home is seen",
            PATIENCE,
            () -> run("explain", "user:1") == 0 && out.contains("Home is unreachable: region us"));
        assertThat(post(us.url() + "/v1/explain", "{\"key\":\"user:1\"}").body())
            .contains("\"remaining\":0", "\"homeReachable\":false")
            .doesNotContain("onStoreFailure");
      }
    }
  }

  private static int reserve(Region region) throws Exception {
    return post(region.url() + "/v1/reservations", "{\"key\":\"user:1\",\"cost\":1}").statusCode();
  }

  private static HttpResponse<String> post(String url, String body) throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(url))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(body));
      return http.send(request.build(), BodyHandlers.ofString());
    }
  }

  @Test
  void incompleteOptionsOfARegionAreRefused() {
    assertThat(run("serve", "--region", "eu", "--store", "redis://127.0.0.1:1")).isEqualTo(2);
    assertThat(err).contains("--region needs --home");
    assertThat(run("serve", "--home", "redis://127.0.0.1:1")).isEqualTo(2);
    assertThat(err).contains("--home needs --region");
    assertThat(run("serve", "--region", "eu", "--home", "redis://127.0.0.1:1")).isEqualTo(2);
    assertThat(err).contains("--region needs a Redis of the region");
    var redis = "redis://127.0.0.1:1";
    assertThat(
            run("serve", "--region", "eu", "--store", redis, "--home", redis, "--home-token", "t"))
        .isEqualTo(2);
    assertThat(err).contains("--home-token needs a service as --home");
  }

  @Test
  void serviceWithoutARegionHasNoneToShow() throws Exception {
    var rules = RuleSet.of(RuleFile.read(RULES));
    var settings =
        new ServiceSettings(
            "127.0.0.1", 0, AccessControl.OPEN, Duration.ofMinutes(1), Duration.ZERO, 1);
    try (var limiter = RateLimiter.inMemory(rules);
        var service =
            Service.start(settings, limiter, InMemoryRuleRepository.of(rules), Ticker.system())) {
      environment.put("HEADGATE_URL", "http://127.0.0.1:" + service.port());
      assertThat(run("regions")).isEqualTo(2);
      assertThat(err).contains("started without --region");
    }
  }
}
