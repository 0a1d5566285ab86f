package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.RuleSet;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.http.LogCapture;
import io.headgate.server.http.RawConnection;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service whose Redis is shared with instances of another layout of keys reports it. */
class MixedLayoutsTest extends Shell {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String INSTANCES = "headgate:instances";

  /** The time of a heartbeat that is valid during the whole test. */
  private static final String LATER = Long.toString(System.currentTimeMillis() + 3_600_000);

  private static RedisServer redis;
  private static RateLimiter limiter;
  private static Service service;
  private static LogCapture log;

  @BeforeAll
  static void start() throws Exception {
    log = new LogCapture("io.headgate.server.LayoutLog");
    redis = RedisServer.start();
    var options = RedisOptions.builder(redis.uri()).layout(KeyLayout.COMPACT).build();
    limiter = RateLimiter.with(RedisStore.connect(options), RuleSet.of());
    var settings =
        new ServiceSettings(
            "127.0.0.1", 0, AccessControl.OPEN, Duration.ofMinutes(1), Duration.ZERO, 1);
    var repository = InMemoryRuleRepository.of(limiter.rules());
    service = Service.start(settings, limiter, repository, Ticker.system());
  }

  @AfterAll
  static void stop() {
    service.close();
    limiter.close();
    redis.close();
    log.close();
  }

  @BeforeEach
  void awaitLayouts() {
    environment.put("HEADGATE_URL", "http://127.0.0.1:" + service.port());
    Eventually.holds(
        "the service has received the layouts",
        TIMEOUT,
        () -> {
          addInstanceOfEarlierVersion();
          var layouts = store().at("layouts");
          return layouts.at("separate").number() == 1 && layouts.at("compact").number() == 1;
        });
  }

  /** Adds a heartbeat that has no layout. */
  private static void addInstanceOfEarlierVersion() {
    redis.call("ZADD", INSTANCES, LATER, "0b5a3c1e-6f1d-4d2a-9a55-0c4f6a1f7a10");
  }

  private static JsonReply store() {
    try (var connection = RawConnection.to(service.port())) {
      return JsonReply.read(connection.request("GET", "/v1/stats").body()).at("store");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void statisticsHaveTheLayoutOfTheInstance() {
    assertThat(store().at("layout").text()).isEqualTo("compact");
  }

  @Test
  void statusShowsTheLayouts() {
    run("status");
    assertThat(out)
        .contains("  instances  2, with different layouts of keys: 1 separate, 1 compact\n");
  }

  @Test
  void doctorWarnsOfTheInstancesOfTheStoreOnce() {
    run("doctor", "--store", redis.uri(), "--store-layout", "compact");
    assertThat(out)
        .containsOnlyOnce("warning  layout")
        .contains(
            """
            warning  layout    the instances with the keys headgate:* have different layouts of keys: 1 separate, 1 compact
                               → restart all with the same --store-layout: instances with different layouts count rules with several limits separately, and admit up to twice the limit together
            """)
        .endsWith("\n0 problems, 1 warning.\n");
    assertThat(code).as("a warning is no problem").isZero();
  }

  @Test
  void doctorWarnsOfTheInstancesOfTheService() {
    run("doctor");
    assertThat(out)
        .contains(
            "warning  layout    the instances that share its store have different layouts of keys:"
                + " 1 separate, 1 compact\n");
  }

  @Test
  void doctorComparesItsLayoutWithThoseOfRunningInstances() {
    redis.call("ZADD", "other:instances", LATER, "a compact");
    redis.call("ZADD", "other:instances", LATER, "b compact");
    environment.remove("HEADGATE_URL");
    run("doctor", "--store", redis.uri(), "--store-prefix", "other:", "--port", "0");
    assertThat(out)
        .contains(
            """
            warning  layout    --store-layout is separate, and 2 instances have compact
                               → set --store-layout compact here, or restart all with separate soon after each other: instances\
            """);
    run(
        "doctor",
        "--store",
        redis.uri(),
        "--store-prefix",
        "other:",
        "--store-layout",
        "compact",
        "--port",
        "0");
    assertThat(out).doesNotContain("layout");
  }

  @Test
  void serviceLogsDifferentLayouts() {
    Eventually.holds(
        "the service logs a warning",
        TIMEOUT,
        () -> {
          addInstanceOfEarlierVersion();
          return !log.text().isEmpty();
        });
    assertThat(log.text())
        .contains("have different layouts of keys (1 separate, 1 compact)")
        .endsWith("; that of this instance is compact");
  }
}
