package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.ReferenceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The two forms of a rolling window in Redis: packed in a string, and a sorted set. */
class PackedWindowTest {
  private static final String KEY = "w:{k}rule";
  private static final int MOST = 256;
  private static TestServer redis;

  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_119);

  @BeforeAll
  static void start() {
    redis = TestServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void flush() {
    redis.flush();
  }

  static Stream<RollingWindow> windows() {
    return Stream.of(
        RollingWindow.of(Rate.of(1_500, Duration.ofSeconds(20))),
        RollingWindow.of(Rate.of(RollingWindow.MAX_PERMITS, Duration.ofSeconds(20))),
        RollingWindow.of(Rate.of(1_500, Duration.ofSeconds(20)))
            .withMinInterval(Duration.ofNanos(1_000)));
  }

  @ParameterizedTest
  @MethodSource("windows")
  void bothFormsReturnTheSameAsInJava(RollingWindow limit) {
    var reference = new ReferenceStore(clock);
    var types = new HashSet<String>();
    for (int step = 0; step < 500; step++) {
      // Alternates between a crowd, a few requests and a window that is empty again.
      clock.sleep(random.nextLong(step % 100 < 60 ? 700_000 : 3_000_000));
      if (step % 100 == 99) clock.sleep(limit.window());
      compare(reference, limit, step % 100 < 60 ? 40 : 3);
      types.add(redis.server().call("TYPE", KEY).text());
    }
    assertThat(types)
        .containsExactlyInAnyOrderElementsOf(
            limit.minInterval().isZero() ? Set.of("string", "zset") : Set.of("string"));
  }

  /** Large costs wrap the totals, which have three bytes. */
  @Test
  void totalsBeyondThreeBytesReturnTheSameAsInJava() {
    var limit = RollingWindow.of(Rate.of(RollingWindow.MAX_PERMITS, Duration.ofSeconds(5)));
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < 400; step++) {
      clock.sleep(random.nextLong(500_000));
      long cost = random.nextLong(300_000);
      assertSame(reference, limit, cost, step);
    }
  }

  @Test
  void changedLimitReturnsTheSameAsInJava() {
    var limits =
        Stream.of(1L, 2L, 7L, 30L, 200L)
            .flatMap(n ->
                Stream.of(5, 20, 90).map(s -> RollingWindow.of(Rate.of(n, Duration.ofSeconds(s)))))
            .toList();
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < 1_000; step++) {
      clock.sleep(random.nextLong(2_000_000));
      compare(reference, limits.get(random.nextInt(limits.size())), 4);
    }
  }

  /** A window of decades, whose times do not fit six bytes, is a sorted set. */
  @Test
  void longestWindowReturnsTheSameAsInJava() {
    var limit = RollingWindow.of(Rate.of(20, Duration.ofDays(36_525)));
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < 100; step++) {
      clock.sleep(random.nextLong(Duration.ofDays(1_000).toNanos() / 1_000));
      compare(reference, limit, 2);
    }
    assertThat(redis.server().call("TYPE", KEY).text()).isEqualTo("zset");
  }

  @Test
  void packedWindowTakesNineBytesForARequestAndHasRoomForAnEighthMore() {
    var limit = RollingWindow.of(Rate.of(1_000, Duration.ofSeconds(10)));
    try (var executor = redis.executor("w:", clock)) {
      for (int i = 1; i <= MOST; i++) {
        clock.sleep(1_000);
        executor.decide(plan(limit, 1));
        assertThat(redis.server().call("STRLEN", KEY).number())
            .isBetween(34L + 9 * i, 34L + 9 * (i + (i > 16 ? i / 8 + 1 : i > 2 ? i % 2 : 0)));
      }
      executor.decide(plan(limit, 1));
      assertThat(redis.server().call("ZCARD", KEY).number()).isEqualTo(1 + MOST + 1);
    }
  }

  @Test
  void expiredRequestsAreAtMostHalfOfAPackedWindow() {
    var limit = RollingWindow.of(Rate.of(100, Duration.ofSeconds(1)));
    try (var executor = redis.executor("w:", clock)) {
      for (int i = 0; i < 1_000; i++) {
        clock.sleep(20_000);
        executor.decide(plan(limit, 1 + i % 2));
        assertThat(redis.server().call("STRLEN", KEY).number())
            .isLessThanOrEqualTo(34 + 9 * 2 * (50 + 50 / 8 + 1));
      }
    }
  }

  /** The expiry of a window of an hour is written once in an eighth of it. */
  @Test
  void expiryOfAPackedWindowIsWrittenRarely() {
    redis.server().call("CONFIG", "RESETSTAT");
    var limit = RollingWindow.of(Rate.of(1_000, Duration.ofHours(1)));
    var ends = new HashSet<Long>();
    try (var executor = redis.executor("w:")) {
      for (int i = 0; i < 50; i++) {
        long reset = executor.decide(plan(limit, 1)).first().resetAfter() / 1_000;
        assertThat(redis.server().call("PTTL", KEY).number())
            .isBetween(reset, reset + Duration.ofHours(1).toMillis() / 8 + 3_000);
        ends.add(redis.server().call("EXPIRETIME", KEY).number());
      }
    }
    assertThat(ends).hasSizeLessThanOrEqualTo(2);
    // Up to 16 requests, every second one is a change of the text in place; then most are two.
    assertThat(redis.server().call("INFO", "commandstats").text())
        .containsPattern("cmdstat_setrange:calls=[56]\\d,");
  }

  private void compare(ReferenceStore reference, Limit limit, int requests) {
    var batch = new Batch(new CounterKeys("w:"), LimitFormat.NUMBERS);
    var commands = new ArrayList<ScriptCommand.PlanCommand>();
    for (int i = random.nextInt(requests); i >= 0; i--) {
      var plan = plan(limit, random.nextInt(5) == 0 ? random.nextLong(6) : 1);
      var command = new ScriptCommand.PlanCommand(plan, random.nextInt(8) > 0, back -> {});
      command.writeTo(batch);
      commands.add(command);
    }
    var reply = new ReplyReader(redis.decide(batch, clock.micros()));
    for (var command : commands) {
      var expected = command.commit ? reference.decide(command.plan) : reference.peek(command.plan);
      assertThat(command.read(reply).outcomes())
          .as("%s", command.plan.charges())
          .isEqualTo(expected.outcomes());
    }
  }

  private void assertSame(ReferenceStore reference, Limit limit, long cost, int step) {
    var batch = new Batch(new CounterKeys("w:"), LimitFormat.NUMBERS);
    var command = new ScriptCommand.PlanCommand(plan(limit, cost), true, back -> {});
    command.writeTo(batch);
    var reply = new ReplyReader(redis.decide(batch, clock.micros()));
    assertThat(command.read(reply).outcomes())
        .as("step %d", step)
        .isEqualTo(reference.decide(command.plan).outcomes());
  }

  private static Plan plan(Limit limit, long cost) {
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    return rules.plan(Request.of(Subject.of("k"), cost), 0, 1);
  }
}
