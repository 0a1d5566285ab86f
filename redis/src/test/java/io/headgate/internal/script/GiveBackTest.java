package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ManualTicker;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A charge is given back to the window that it was made to, not to a later one. */
class GiveBackTest {
  private static final Rate RATE = Rate.of(60, Duration.ofMinutes(2));
  private static final long SECOND = 1_000_000;
  private static final long WINDOW = 120 * SECOND;
  private static TestServer redis;

  private final ManualTicker clock = ManualTicker.create();
  private final ScriptExecutor executor = redis.executor("g:", clock);
  private long holder;

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
    clock.sleep(WINDOW - clock.micros() % WINDOW); // aligned to the start of a window
  }

  @AfterEach
  void close() {
    executor.close();
  }

  static Stream<Limit> everyAlgorithm() {
    return Stream.of(
        TokenBucket.of(RATE),
        LeakyBucket.of(RATE).withQueue(59),
        FixedWindow.of(RATE),
        FixedWindow.of(60, new Window.Calendar(Window.Unit.HOUR, ZoneOffset.UTC)),
        SlidingWindow.of(RATE),
        RollingWindow.of(RATE),
        Concurrency.of(60).withLease(Duration.ofMinutes(2)),
        new AdaptiveConcurrency(60, 60, 60, Duration.ofMinutes(2)),
        new FairShare(TokenBucket.of(RATE), FairSharing.among("tenant")));
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void expiredChargeIsNotReturnedAgain(Limit limit) {
    var early = charge(limit, 3);
    clock.sleep(limit.window() + 20 * SECOND);
    charge(limit, 3);
    var before = executor.peek(plan(limit, 0)).outcomes();
    executor.giveBack(early);
    assertThat(executor.peek(plan(limit, 0)).outcomes()).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void activeChargeIsReturned(Limit limit) {
    charge(limit, 2);
    var taken = charge(limit, 3);
    long left = remaining(limit);
    executor.giveBack(taken);
    assertThat(remaining(limit)).isEqualTo(left + 3);
  }

  /** Otherwise permits that the bucket has refilled would be returned twice. */
  @Test
  void bucketReturnsOnlyPermitsNotYetRefilled() {
    var limit = TokenBucket.of(RATE);
    var early = charge(limit, 3);
    clock.sleep(4 * SECOND); // two permits are refilled
    charge(limit, 2);
    executor.giveBack(early);
    assertThat(remaining(limit)).isEqualTo(58);
  }

  @Test
  void slidingWindowReturnsToSubwindowOfCharge() {
    assertLaterChargeStays(SlidingWindow.of(RATE));
  }

  @Test
  void rollingWindowRemovesEntryOfCharge() {
    assertLaterChargeStays(RollingWindow.of(RATE));
  }

  private void assertLaterChargeStays(Limit limit) {
    var early = charge(limit, 2);
    clock.sleep(30 * SECOND);
    charge(limit, 2);
    executor.giveBack(early);
    clock.sleep(WINDOW - 10 * SECOND); // the first charge would have expired, the second has not
    assertThat(remaining(limit)).isEqualTo(58);
  }

  /** The entry is located by the time of the charge, without a scan of later requests. */
  @Test
  void missingRollingWindowEntryCausesNoScan() {
    var limit = RollingWindow.of(Rate.of(100_000, Duration.ofMinutes(2)));
    var first = charge(limit, 7);
    for (int i = 0; i < 200; i++) {
      clock.sleep(1);
      charge(limit, 1);
    }
    executor.giveBack(first);
    redis.server().call("CONFIG", "RESETSTAT");
    executor.giveBack(first);
    assertThat(redis.server().call("INFO", "commandstats").text())
        .doesNotContainPattern("cmdstat_zrange:calls=\\d\\d");
    assertThat(remaining(limit)).isEqualTo(100_000 - 200);
  }

  /** Giving back one of two charges of a holder leaves the other. */
  @Test
  void holderKeepsSlotsThatWereNotGivenBack() {
    var limit = Concurrency.of(60).withLease(Duration.ofMinutes(2));
    var plan = plan(limit, 5);
    TestCharges.make(executor, plan);
    executor.giveBack(TestCharges.make(executor, plan));
    assertThat(remaining(limit)).isEqualTo(55);
    assertThat(executor.renew(plan.charges().getFirst())).isTrue();
    assertThat(executor.release(plan.charges().getFirst())).isTrue();
    assertThat(remaining(limit)).isEqualTo(60);
  }

  private long remaining(Limit limit) {
    return executor.peek(plan(limit, 0)).first().remaining();
  }

  private ChargeReceipt charge(Limit limit, long cost) {
    return TestCharges.make(executor, plan(limit, cost));
  }

  private Plan plan(Limit limit, long cost) {
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    return rules.plan(Request.of(Subject.of("k"), cost), 0, ++holder);
  }
}
