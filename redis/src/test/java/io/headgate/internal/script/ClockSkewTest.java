package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Denied;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.TestConnections;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Ticker;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Instances with different clocks agree, since decisions use the server's clock. */
class ClockSkewTest {
  private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;
  private static final Rate TEN_A_MINUTE = Rate.perMinute(10);

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static List<Limit> limits() {
    return List.of(
        TokenBucket.of(Rate.of(10, Duration.ofDays(1))),
        FixedWindow.of(Rate.of(10, Duration.ofDays(30))),
        SlidingWindow.of(Rate.of(10, Duration.ofDays(30))),
        RollingWindow.of(Rate.of(10, Duration.ofDays(1))));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void instancesWithClocksTwoHoursApartAdmitTheLimitTogether(Limit limit) {
    server.call("FLUSHALL");
    var rules = RuleSet.of(Rule.named("r").per("key").limit(limit).build());
    var options = RedisOptions.builder(server.uri()).deadline(Duration.ofSeconds(10)).build();
    long now = Ticker.system().micros();
    try (var slow = RateLimiter.with(RedisStore.connect(options), rules, () -> now - HOUR);
        var fast = RateLimiter.with(RedisStore.connect(options), rules, () -> now + HOUR)) {
      int admitted = 0;
      for (int i = 0; i < 20; i++) {
        var decision = (i % 2 == 0 ? slow : fast).check(Subject.of("x"));
        if (!(decision instanceof Denied)) admitted++;
      }
      assertThat(admitted).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, -1, 0, 1, 3})
  void calendarWindowsUseServerClock(int skewHours) {
    var plan = calendarHour(5, "calendar" + skewHours);
    try (var executor = executorWithSkew(skewHours)) {
      int admitted = 0;
      for (int i = 0; i < 100; i++) {
        if (plan.allows(executor.decide(plan).outcomes())) admitted++;
      }
      assertThat(admitted).isEqualTo(5);
    }
  }

  @Test
  void skewedClockCostsOneExtraRoundTripInTotal() {
    var sent = new CopyOnWriteArrayList<byte[]>();
    var plan = calendarHour(5, "round-trips");
    try (var connection = connected();
        var executor = executor(recording(connection, sent), 3)) {
      for (int i = 0; i < 10; i++) executor.decide(plan);
    }
    assertThat(sent).hasSize(11);
  }

  @Test
  void instancesAheadAndBehindShareOneCalendarWindow() {
    var plan = calendarHour(10, "both-sides");
    try (var slow = executorWithSkew(-3);
        var fast = executorWithSkew(3)) {
      int admitted = 0;
      for (int i = 0; i < 40; i++) {
        var executor = i % 2 == 0 ? slow : fast;
        if (plan.allows(executor.decide(plan).outcomes())) admitted++;
      }
      assertThat(admitted).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void leasesAndReportsOfCalendarWindowsUseServerClock(int skewHours) {
    var plan = calendarHour(10, "held" + skewHours);
    var charge = plan.charges().getFirst();
    try (var executor = executorWithSkew(skewHours);
        var other = executorWithSkew(0)) {
      var taken = executor.hold(charge, Usage.NONE, 4, 60_000_000).toCompletableFuture().join();
      assertThat(taken.held()).isEqualTo(4);
      var known = executor.report(charge).toCompletableFuture().join();
      assertThat(known.state().freshAt()).isGreaterThan(known.now());
      int admitted = 0;
      for (int i = 0; i < 20; i++) {
        if (plan.allows(other.decide(plan).outcomes())) admitted++;
      }
      assertThat(admitted)
          .isEqualTo(10 - 4 - 2); // 4 held; charged: one with the hold, one reported
    }
  }

  /** Returns a plan of a calendar hour that does not end during the test, in a suitable zone. */
  private static Plan calendarHour(long permits, String key) {
    var zone = Instant.now().atZone(ZoneOffset.UTC).getMinute() < 30 ? "UTC" : "Asia/Kolkata";
    var limit = FixedWindow.of(permits, new Window.Calendar(Window.Unit.HOUR, ZoneId.of(zone)));
    var rules = RuleSet.of(Rule.named("calendar").per("key").limit(limit).build());
    return rules.plan(Request.of(Subject.of(key)), 0, 0);
  }

  private static ScriptExecutor executorWithSkew(int hours) {
    return executor(connected(), hours);
  }

  /** Opens a separate connection, whose close also closes its threads. */
  private static RedisConnection connected() {
    var clients = new LettuceClients(RedisOptions.of(server.uri()));
    var connection = clients.connect();
    return new TestConnections.Forwarding(connection) {
      @Override
      public void close() {
        connection.close();
        clients.close();
      }
    };
  }

  private static ScriptExecutor executor(RedisConnection connection, int skewHours) {
    return ScriptExecutor.withClock(
        connection,
        new CounterKeys("clock:"),
        Duration.ofSeconds(20),
        ScriptExecutor.SERVER_CLOCK,
        () -> Ticker.system().micros() + skewHours * HOUR,
        skewHours + 10);
  }

  @Test
  void batchRequestsServerClock() {
    var sent = new CopyOnWriteArrayList<byte[]>();
    var clients = new LettuceClients(RedisOptions.of(server.uri()));
    var connection = recording(clients.connect(), sent);
    try (var executor =
        ScriptExecutor.withClock(
            connection,
            new CounterKeys("clock:"),
            Duration.ofSeconds(10),
            ScriptExecutor.SERVER_CLOCK)) {
      var rules =
          RuleSet.of(Rule.named("r").per("key").limit(TokenBucket.of(TEN_A_MINUTE)).build());
      executor.decide(rules.plan(Request.of(Subject.of("x")), 0, 0));
    } finally {
      clients.close();
    }
    assertThat(sent).hasSize(1);
    assertThat(new MessagePackReader(sent.getFirst()).next()).isEqualTo(-1);
  }

  private static RedisConnection recording(RedisConnection connection, List<byte[]> sent) {
    return new TestConnections.Forwarding(connection) {
      @Override
      public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
        sent.add(argument);
        return super.decide(keys, argument);
      }
    };
  }
}
