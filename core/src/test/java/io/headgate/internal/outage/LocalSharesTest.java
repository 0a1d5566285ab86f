package io.headgate.internal.outage;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.OutageListener;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the local shares of several instances without a store. */
class LocalSharesTest {
  private static final long MINUTE = 60_000_000;

  private final AtomicLong clock = new AtomicLong(START);
  private final AtomicInteger instances = new AtomicInteger();
  private final List<CircuitBreakingStore> stores = new ArrayList<>();
  private long holder;

  @AfterEach
  void close() {
    for (var store : stores) store.close();
  }

  static Stream<Limit> limitsOfTenPerMinute() {
    var rate = Rate.perMinute(10);
    return Stream.of(
        TokenBucket.of(rate),
        LeakyBucket.of(rate).withQueue(9),
        LeakyBucket.of(rate).withMaxWait(Duration.ofSeconds(54)),
        FixedWindow.of(rate),
        SlidingWindow.of(rate),
        SlidingWindow.of(rate).withBuckets(6).withBound(SlidingWindow.Bound.CONSERVATIVE),
        RollingWindow.of(rate),
        Concurrency.of(10).withLease(Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @MethodSource("limitsOfTenPerMinute")
  void allInstancesTogetherAdmitAtMostTheLimit(Limit limit) {
    start(3);
    assertThat(admitted(limit)).isEqualTo(9); // 3 each; the tenth permit is not assigned
  }

  @ParameterizedTest
  @MethodSource("limitsOfTenPerMinute")
  void moreInstancesThanPermitsAdmitOneEach(Limit limit) {
    start(12);
    assertThat(admitted(limit)).isEqualTo(12);
  }

  /** Between rounds lies a full idle minute, after which the limit itself admits ten. */
  @ParameterizedTest
  @MethodSource("limitsOfTenPerMinute")
  void sharesHoldInEveryWindow(Limit limit) {
    start(2);
    for (int minute = 0; minute < 5; minute++) {
      assertThat(admitted(limit)).isEqualTo(10);
      clock.addAndGet(2 * MINUTE);
    }
  }

  @ParameterizedTest
  @MethodSource("limitsOfTenPerMinute")
  void exhaustedShareStaysExhaustedWhenInstancesChange(Limit limit) {
    start(2);
    assertThat(admitted(limit)).isEqualTo(10);
    instances.set(5);
    assertThat(admitted(limit)).isZero();
    clock.addAndGet(2 * MINUTE);
    assertThat(admitted(limit)).isEqualTo(4); // two of five, two permits each
  }

  @ParameterizedTest
  @MethodSource("limitsOfTenPerMinute")
  void combinedCostAboveTheLimitIsImpossible(Limit limit) {
    start(2);
    var rules =
        RuleSet.of(Rule.named("r").per("key").onStoreFailure(new Local()).limit(limit).build());
    var impossible = combined(rules, 5, 6);
    assertThat(stores.getFirst().decide(impossible).outcomes().getLast())
        .isInstanceOfSatisfying(
            ExceedsCapacity.class,
            exceeds -> {
              assertThat(exceeds.cost()).isEqualTo(11);
              assertThat(exceeds.capacity()).isEqualTo(10);
            });
    // It exceeds the share, but not the limit.
    assertThat(stores.getFirst().decide(combined(rules, 4, 5)).outcomes().getLast())
        .isInstanceOf(Refused.class);
  }

  private static Plan combined(RuleSet rules, long one, long two) {
    return CombinedPlan.of(
            List.of(
                rules.plan(Request.of(Subject.of("x"), one), 0, 1),
                rules.plan(Request.of(Subject.of("x"), two), 0, 1)))
        .whole();
  }

  private void start(int n) {
    instances.set(n);
    for (int i = 0; i < n; i++) {
      var remote = new FaultyStore(clock::get);
      remote.fail(Kind.CONNECTION);
      stores.add(
          TestStores.around(
              remote, remote::probe, instances::get, OutageListener.NONE, clock::get, 1_000));
    }
  }

  /** Returns how many requests pass now if each instance gets more than its share. */
  private int admitted(Limit limit) {
    var rules =
        RuleSet.of(Rule.named("r").per("key").onStoreFailure(new Local()).limit(limit).build());
    int admitted = 0;
    for (var store : stores) {
      for (int i = 0; i < 25; i++) {
        var plan = rules.plan(Request.of(Subject.of("x")), 0, ++holder);
        if (TestPlans.passes(store, plan)) admitted++;
      }
    }
    return admitted;
  }
}
