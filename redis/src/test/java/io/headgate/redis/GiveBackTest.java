package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.redis.internal.script.ChargeReceipt;
import io.headgate.redis.internal.script.ScriptExecutor;
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

/** A charge is given back to the counter as it was charged, not to a later window of it. */
class GiveBackTest {
  private static final Rate RATE = Rate.of(60, Duration.ofMinutes(2));
  private static final long SECOND = 1_000_000;
  private static final long WINDOW = 120 * SECOND;
  private static OneServer redis;

  private final ManualTicker clock = ManualTicker.create();
  private final ScriptExecutor engine = redis.engine("g:", clock);
  private long holder;

  @BeforeAll
  static void start() {
    redis = OneServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void empty() {
    redis.empty();
    clock.sleep(WINDOW - clock.micros() % WINDOW); // windows begin here
  }

  @AfterEach
  void close() {
    engine.close();
  }

  static Stream<Limit> everyKind() {
    return Stream.of(
        new TokenBucket(RATE),
        LeakyBucket.queueing(RATE, 59),
        FixedWindow.of(RATE),
        new FixedWindow(60, new Window.Calendar(Window.Unit.HOUR, ZoneOffset.UTC)),
        SlidingWindow.of(RATE),
        RollingWindow.of(RATE),
        new Concurrency(60, Duration.ofMinutes(2)));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void aChargeThatTimeHasReturnedIsNotReturnedAgain(Limit limit) {
    var early = charge(limit, 3);
    clock.sleep(limit.window() + 20 * SECOND);
    charge(limit, 3);
    var before = engine.peek(plan(limit, 0)).outcomes();
    engine.giveBack(early);
    assertThat(engine.peek(plan(limit, 0)).outcomes()).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void aChargeIsReturnedOnceWhileItCounts(Limit limit) {
    charge(limit, 2);
    var taken = charge(limit, 3);
    long left = remaining(limit);
    engine.giveBack(taken);
    assertThat(remaining(limit)).isEqualTo(left + 3);
  }

  /** What the bucket has refilled since would be refilled twice. */
  @Test
  void aBucketReturnsNoMoreThanItHasNotRefilled() {
    var limit = new TokenBucket(RATE);
    var early = charge(limit, 3);
    clock.sleep(4 * SECOND); // two of them are back
    charge(limit, 2);
    engine.giveBack(early);
    assertThat(remaining(limit)).isEqualTo(58);
  }

  @Test
  void aSlidingWindowReturnsToThePieceOfTheCharge() {
    aLaterChargeStays(SlidingWindow.of(RATE));
  }

  @Test
  void aRollingWindowReturnsTheEntryOfTheCharge() {
    aLaterChargeStays(RollingWindow.of(RATE));
  }

  private void aLaterChargeStays(Limit limit) {
    var early = charge(limit, 2);
    clock.sleep(30 * SECOND);
    charge(limit, 2);
    engine.giveBack(early);
    clock.sleep(WINDOW - 10 * SECOND); // the first would have left by now, the second has not
    assertThat(remaining(limit)).isEqualTo(58);
  }

  /** A log of many later requests is not searched: the charge's own time says where it is. */
  @Test
  void aRollingWindowIsNotSearchedForAChargeThatIsGone() {
    var limit = RollingWindow.of(Rate.of(100_000, Duration.ofMinutes(2)));
    var first = charge(limit, 7);
    for (int i = 0; i < 200; i++) {
      clock.sleep(1);
      charge(limit, 1);
    }
    engine.giveBack(first);
    redis.server().call("CONFIG", "RESETSTAT");
    engine.giveBack(first);
    assertThat(redis.server().call("INFO", "commandstats").text())
        .doesNotContainPattern("cmdstat_zrange:calls=\\d\\d");
    assertThat(remaining(limit)).isEqualTo(100_000 - 200);
  }

  /** Two charges of one holder are two: what one gives back leaves the other. */
  @Test
  void aHolderOfSeveralSlotsKeepsThoseThatItDoesNotGiveBack() {
    var limit = new Concurrency(60, Duration.ofMinutes(2));
    var plan = plan(limit, 5);
    Charges.make(engine, plan);
    engine.giveBack(Charges.make(engine, plan));
    assertThat(remaining(limit)).isEqualTo(55);
    assertThat(engine.renew(plan.charges().getFirst())).isTrue();
    assertThat(engine.release(plan.charges().getFirst())).isTrue();
    assertThat(remaining(limit)).isEqualTo(60);
  }

  private long remaining(Limit limit) {
    return engine.peek(plan(limit, 0)).first().remaining();
  }

  private ChargeReceipt charge(Limit limit, long cost) {
    return Charges.make(engine, plan(limit, cost));
  }

  private Plan plan(Limit limit, long cost) {
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    return rules.plan(Request.of(Subject.of("k"), cost), 0, ++holder);
  }
}
