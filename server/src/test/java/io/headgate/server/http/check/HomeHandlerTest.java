package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.ReservationState;
import io.headgate.redis.HomeService;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RegionHome;
import io.headgate.redis.RegionOptions;
import io.headgate.redis.RegionalStore;
import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TokenSet;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.Source;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs a region whose home is the service of another region, each with its own Redis. */
class HomeHandlerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final String ADMIN = "admin-token-of-the-test";
  private static final String CHECK = "check-token-of-the-test";
  private static final String REGION = "region-token-of-the-tes";
  private static final RuleSet RULES =
      RuleSet.of(
          RuleFile.read(
              """
              rules:
                - { id: shared, match: { user: "*" }, limit: { algorithm: token-bucket, rate: 100/1h } }
                - { id: day, match: { day: "*" }, limit: { algorithm: fixed-window, rate: 5/1d, align: calendar, zone: Europe/Berlin } }
                - { id: rolling, match: { rolling: "*" }, limit: { algorithm: rolling-window, rate: 5/1h } }
                - { id: leaky, match: { leaky: "*" }, regions: home, limit: { algorithm: leaky-bucket, rate: 5/1h, queue: 5, mode: queue } }
                - { id: sliding, match: { sliding: "*" }, regions: home, limit: { algorithm: sliding-window, rate: 5/1h } }
                - { id: slots, match: { slots: "*" }, limit: { algorithm: concurrency, max: 5 } }
                - { id: adaptive, match: { adaptive: "*" }, limit: { algorithm: adaptive-concurrency, min: 1, max: 5, initial: 5 } }
                - id: fair
                  match: { fair: "*" }
                  limit: { algorithm: token-bucket, rate: 5/1h, fair: { among: tenant } }
              """));

  private record Region(RegionalStore store, RateLimiter limiter, Service service)
      implements AutoCloseable {
    static Region start(String name, RedisServer regional, RegionHome home) throws Exception {
      var store =
          RegionalStore.connect(
              new RegionOptions(
                  name,
                  RedisOptions.builder(regional.uri()).deadline(Duration.ofSeconds(5)).build(),
                  home,
                  LEASE));
      var limiter = RateLimiter.with(store, RULES);
      var access =
          new AccessControl(
              TokenSet.NONE.withAdmin(ADMIN, "").withCheck(CHECK, "").withRegion(REGION, ""));
      var settings =
          new ServiceSettings("127.0.0.1", 0, access, Duration.ofMinutes(1), Duration.ZERO, 1);
      var service =
          Service.start(settings, limiter, InMemoryRuleRepository.of(RULES), Ticker.system());
      return new Region(store, limiter, service);
    }

    Region awaitHome() {
      Eventually.holds("home grants shares", PATIENCE, store::isHomeReady);
      return this;
    }

    HomeService asHome(String token) {
      return HomeService.of(
          "http://127.0.0.1:" + service.port(), Optional.of(token), Duration.ofSeconds(2));
    }

    boolean check(String attribute) {
      return limiter.check(Subject.of(attribute, "a")).isAllowed();
    }

    @Override
    public void close() {
      service.close();
      limiter.close();
    }
  }

  private static RedisServer first;
  private static RedisServer second;
  private static Region eu;
  private static Region us;

  @BeforeAll
  static void start() throws Exception {
    first = RedisServer.start();
    second = RedisServer.start();
    first.call("SET", "headgate:home:ready", "new");
    eu = Region.start("eu", first, RedisOptions.builder(first.uri()).deadline(PATIENCE).build());
    eu.awaitHome();
    us = Region.start("us", second, eu.asHome(REGION)).awaitHome();
  }

  @AfterAll
  static void stop() {
    us.close();
    eu.close();
    first.close();
    second.close();
  }

  @Test
  void regionsShareALimitThroughTheServiceOfHome() {
    int admitted = 0;
    var sources = new ArrayList<Source>();
    for (int i = 0; i < 400; i++) {
      if (eu.check("user")) admitted++;
      var result = us.limiter.checkForResult(Request.of(Subject.of("user", "a")));
      if (result.isAllowed()) {
        admitted++;
        sources.add(result.source());
      }
    }
    assertThat(admitted).isBetween(60, 100);
    assertThat(sources).contains(Source.LEASE);
    assertThat(us.store.homeProblem()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"day", "rolling", "leaky", "sliding", "slots", "adaptive", "fair"})
  void everyAlgorithmIsDecidedAtHome(String attribute) {
    if (!attribute.equals("day")) {
      int admitted = 0;
      for (int i = 0; i < 10; i++) {
        if (us.check(attribute)) admitted++;
        if (eu.check(attribute)) admitted++;
      }
      // A queue has one in service, and a tenant alone has not all permits at once.
      assertThat(admitted).isBetween(2, 6);
      us.limiter.reset(Subject.of(attribute, "a"), attribute);
    }
    Eventually.holds("permits are back after a reset", PATIENCE, () -> us.check(attribute));
    assertThat(us.limiter.peek(Request.of(Subject.of(attribute, "a"))).source())
        .isNotEqualTo(Source.FALLBACK);
  }

  @ParameterizedTest
  @CsvSource({"user,100", "sliding,5", "day,5"})
  void reservationIsMadeUpdatedAndSettledThroughTheService(String attribute, long capacity) {
    var request = Request.of(Subject.of(attribute, "reserved"), 2);
    var made = us.limiter.reserve(request, Duration.ofMinutes(1));
    assertThat(made.isAllowed()).isTrue();
    assertThat(remaining(eu, request)).isEqualTo(capacity - 2);
    assertThat(made.update(Costs.plain(1))).isInstanceOf(ReservationState.Open.class);
    assertThat(made.settle(Costs.plain(1))).isInstanceOf(ReservationState.Settled.class);
    assertThat(remaining(eu, request)).isEqualTo(capacity - 1);
    assertThat(made.settle(Costs.plain(1))).isInstanceOf(ReservationState.Settled.class);
    assertThat(remaining(eu, request)).isEqualTo(capacity - 1);
  }

  private static long remaining(Region region, Request request) {
    return region.limiter.peek(request).limits().getFirst().remaining();
  }

  @Test
  void regionsSeeTheReportsOfEachOther() {
    for (var region : List.of(eu, us)) {
      Eventually.holds(
          "both report",
          PATIENCE,
          () -> region.store.reports().stream().map(r -> r.region()).distinct().count() == 2);
    }
  }

  @ParameterizedTest
  @CsvSource({ADMIN + ",400", REGION + ",400", CHECK + ",403", "wrong,401"})
  void onlyRegionAndAdminTokensMayCallHome(String token, int status) throws Exception {
    assertThat(post(eu, token, "application/octet-stream", new byte[] {1})).isEqualTo(status);
  }

  @Test
  void regionTokenPermitsNothingElse() throws Exception {
    for (var path : List.of("/v1/check", "/v1/explain", "/v1/reset", "/v1/reservations")) {
      assertThat(post(eu, path, REGION, "application/json", new byte[] {'{', '}'}))
          .as(path)
          .isEqualTo(403);
    }
  }

  @Test
  void callOfAnotherMediaTypeOrLengthIsRefused() throws Exception {
    assertThat(post(eu, REGION, "application/json", new byte[] {1})).isEqualTo(415);
    assertThat(post(eu, REGION, "application/octet-stream", new byte[(1 << 20) + 1]))
        .isEqualTo(413);
  }

  @Test
  void serviceThatIsNotHomeRefusesCalls() throws Exception {
    assertThat(post(us, REGION, "application/octet-stream", new byte[] {1})).isEqualTo(501);
  }

  private static int post(Region region, String token, String type, byte[] body) throws Exception {
    return post(region, "/v1/home", token, type, body);
  }

  private static int post(Region region, String path, String token, String type, byte[] body)
      throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:%d%s".formatted(region.service.port(), path)))
              .header("Content-Type", type)
              .header("Authorization", "Bearer " + token)
              .POST(BodyPublishers.ofByteArray(body));
      return http.send(request.build(), BodyHandlers.ofString()).statusCode();
    }
  }

  @Test
  void regionWithoutTheRoleGetsNoShares() throws Exception {
    try (var refused = Region.start("ap", second, eu.asHome(CHECK))) {
      assertThat(refused.check("user")).isFalse();
      Eventually.holds(
          "the refusal is shown",
          PATIENCE,
          () -> refused.store.homeProblem().contains("answered 403"));
      assertThat(refused.store.isHomeReady()).isFalse();
    }
  }

  @Test
  void homeThatRestartsEmptyGrantsNothingForALease() throws Exception {
    try (var redis = RedisServer.start()) {
      redis.call("SET", "headgate:home:ready", "new");
      var atHome = RedisOptions.builder(redis.uri()).deadline(PATIENCE).build();
      try (var home = Region.start("eu", redis, atHome).awaitHome();
          var away = Region.start("us", second, home.asHome(REGION)).awaitHome()) {
        int admitted = 0;
        for (int i = 0; i < 200; i++) {
          if (away.check("user")) admitted++;
        }
        redis.kill();
        redis.restart();
        long restarted = System.nanoTime();
        Eventually.holds("home was opened", PATIENCE, () -> !away.store.isHomeReady());
        for (int i = 0; i < 200; i++) {
          if (away.check("user")) admitted++;
        }
        away.awaitHome();
        assertThat(Duration.ofNanos(System.nanoTime() - restarted)).isGreaterThan(LEASE);
        for (int i = 0; i < 200; i++) {
          if (away.check("user")) admitted++;
        }
        assertThat(admitted).isBetween(50, 100);
      }
    }
  }
}
