package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.HomeService;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RegionHome;
import io.headgate.redis.RegionOptions;
import io.headgate.redis.RegionalStore;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TokenSet;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.tls.TlsFiles;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.TestCertificates;
import io.headgate.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a region whose home has TLS: the service of another region, or a Redis. */
class HomeTlsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String TOKEN = "region-token-of-the-tes";
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("shared")
              .match("user", "*")
              .limit(TokenBucket.of(Rate.of(100, Duration.ofHours(1))))
              .build());

  private static RedisServer first;
  private static RedisServer second;
  private static TestCertificates other;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    first = RedisServer.start();
    first.call("SET", "headgate:home:ready", "new");
    second = RedisServer.start();
    other = TestCertificates.create();
  }

  @AfterAll
  static void stop() {
    other.close();
    first.close();
    second.close();
  }

  private static RegionalStore connect(String name, RedisServer regional, RegionHome home) {
    return RegionalStore.connect(
        new RegionOptions(
            name,
            RedisOptions.builder(regional.uri()).deadline(Duration.ofSeconds(5)).build(),
            home,
            Duration.ofSeconds(2)));
  }

  /** The service of the region that is connected to home's Redis. */
  private record Home(RateLimiter limiter, Service service) implements AutoCloseable {
    static Home start(TestCertificates certificates) throws Exception {
      return start(
          Optional.of(
              new TlsFiles(
                  certificates.certificate(), certificates.key(), Optional.empty(), false)));
    }

    static Home start(Optional<TlsFiles> tls) throws Exception {
      var redis = RedisOptions.builder(first.uri()).deadline(Duration.ofSeconds(5)).build();
      var store = connect("eu", first, redis);
      Eventually.holds("home grants shares", PATIENCE, store::isHomeReady);
      var limiter = RateLimiter.with(store, RULES);
      var settings =
          new ServiceSettings(
              "127.0.0.1",
              0,
              new AccessControl(TokenSet.NONE.withRegion(TOKEN, "")),
              ConnectionLimits.DEFAULT,
              TrustedProxies.NONE,
              tls,
              Optional.empty(),
              Duration.ZERO,
              Duration.ZERO,
              1);
      var service =
          Service.start(settings, limiter, InMemoryRuleRepository.of(RULES), Ticker.system());
      return new Home(limiter, service);
    }

    HomeService at(String scheme, String host) {
      return HomeService.of(
          scheme + "://" + host + ":" + service.port(), Optional.of(TOKEN), Duration.ofSeconds(5));
    }

    @Override
    public void close() {
      service.close();
      limiter.close();
    }
  }

  private static void requireProblem(RegionHome home, String... words) {
    try (var limiter = RateLimiter.with(connect("us", second, home), RULES)) {
      var store = (RegionalStore) limiter.store();
      assertThat(limiter.check(Subject.of("user", "refused")).isAllowed()).isFalse();
      Eventually.holds("a call failed", PATIENCE, () -> !store.homeProblem().isEmpty());
      assertThat(store.homeProblem()).contains(words);
      assertThat(store.isHomeReady()).isFalse();
    }
  }

  @Test
  void regionSharesALimitThroughAHomeWhoseIssuerItTrusts() throws Exception {
    try (var certificates = TestCertificates.ofIssuer(-1);
        var home = Home.start(certificates);
        var us =
            RateLimiter.with(
                connect("us", second, home.at("https", "localhost").withCa(certificates.issuer())),
                RULES)) {
      Eventually.holds("home grants shares", PATIENCE, ((RegionalStore) us.store())::isHomeReady);
      int admitted = 0;
      for (int i = 0; i < 300; i++) {
        if (us.check(Subject.of("user", "a")).isAllowed()) admitted++;
        if (home.limiter.check(Subject.of("user", "a")).isAllowed()) admitted++;
      }
      assertThat(admitted).isBetween(60, 100);
    }
  }

  @Test
  void certificateThatIsNotTrustedIsRefusedWithAdvice() throws Exception {
    try (var certificates = TestCertificates.create();
        var home = Home.start(certificates)) {
      var https = home.at("https", "127.0.0.1");
      requireProblem(https, "127.0.0.1:" + home.service.port(), "not trusted", "--home-ca");
      requireProblem(https.withCa(other.certificate()), "not trusted", "--home-ca");
    }
  }

  @Test
  void certificateOfAnotherTimeIsRefusedWithAdvice() throws Exception {
    try (var certificates = TestCertificates.ofIssuer(-40);
        var home = Home.start(certificates)) {
      requireProblem(
          home.at("https", "127.0.0.1").withCa(certificates.issuer()), "has expired", "renew it");
    }
    try (var certificates = TestCertificates.ofIssuer(10);
        var home = Home.start(certificates)) {
      requireProblem(
          home.at("https", "127.0.0.1").withCa(certificates.issuer()), "not valid yet", "clock");
    }
  }

  @Test
  void certificateOfAnotherHostIsRefusedWithAdvice() throws Exception {
    try (var certificates = TestCertificates.ofIssuer(-1);
        var home = Home.start(certificates)) {
      requireProblem(
          home.at("https", "0.0.0.0").withCa(certificates.issuer()), "not valid for it", "--home");
    }
  }

  @Test
  void tlsToAHomeWithoutItAndTheReverseAreToldApart() throws Exception {
    try (var certificates = TestCertificates.create();
        var home = Home.start(certificates)) {
      requireProblem(home.at("http", "127.0.0.1"), "https://");
    }
    try (var home = Home.start(Optional.empty())) {
      requireProblem(home.at("https", "127.0.0.1"), "does not speak TLS", "http:// in --home");
    }
  }

  @Test
  void homeOfRedisWithTlsNeedsItsIssuer() {
    try (var certificates = TestCertificates.create();
        var redis = RedisServer.startWithTls(certificates)) {
      redis.call("SET", "headgate:home:ready", "new");
      var home = RedisOptions.builder(redis.tlsUri()).deadline(Duration.ofSeconds(5));
      requireProblem(home.build(), "not trusted", "--home-ca");
      try (var us = connect("us", second, home.ca(certificates.certificate()).build())) {
        Eventually.holds("home grants shares", PATIENCE, us::isHomeReady);
      }
    }
  }

  @Test
  void filesWithoutCertificatesAreRejected() throws Exception {
    var empty = Files.writeString(folder.resolve("empty.pem"), "");
    var https = HomeService.of("https://127.0.0.1:1", Optional.empty(), Duration.ofSeconds(5));
    for (var file : new Path[] {empty, folder.resolve("missing.pem")}) {
      assertThatThrownBy(() -> connect("us", second, https.withCa(file)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(file.toString());
    }
    var http = HomeService.of("http://127.0.0.1:1", Optional.empty(), Duration.ofSeconds(5));
    assertThatThrownBy(() -> http.withCa(empty)).hasMessageContaining("https://");
  }
}
