package io.headgate.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every store must do. Extended once per store, with a way to open one; here is what it does
 * for many callers at once, in {@link SoleCallerContract} what it does for one.
 *
 * <p>The clock stands still while a crowd is at work, so that what must come out is a number and
 * not a range.
 */
public abstract class StoreContract extends SoleCallerContract {

  static Stream<Arguments> everyKindAndCrowd() {
    return Limits.ofEveryKind(100).stream()
        .flatMap(
            limit -> Stream.of(ConcurrentRunner.values()).map(crowd -> Arguments.of(limit, crowd)));
  }

  @ParameterizedTest
  @MethodSource("everyKindAndCrowd")
  void admitsExactlyTheCapacityHoweverManyAsk(Limit limit, ConcurrentRunner crowd)
      throws Exception {
    var store = open();
    int asks = 1_600 / crowd.size();
    long admitted =
        crowd.sum(member -> {
          long mine = 0;
          for (int i = 0; i < asks; i++) {
            var plan = plan(limit, "k", 1, (long) member * asks + i);
            if (ask(store, plan) instanceof Passed) mine++;
          }
          return mine;
        });
    assertThat(admitted).isEqualTo(limit.capacity());
  }

  @ParameterizedTest
  @MethodSource("everyKindAndCrowd")
  void aPlanOfSeveralLimitsAdmitsWhatTheTightestDoesAndChargesEachAsOften(
      Limit limit, ConcurrentRunner crowd) throws Exception {
    var store = open();
    var more = new TokenBucket(Rate.perHour(120));
    var rules =
        RuleSet.of(
            Rule.named("a").match("x", "*").limit(more).build(),
            Rule.named("b")
                .match("y", "*")
                .limit(RuleLimit.of("first", RollingWindow.of(Rate.perHour(130))))
                .limit(RuleLimit.of("second", limit))
                .build());
    var request = Request.of(Subject.of(Map.of("x", "1", "y", "1")));
    long admitted =
        crowd.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 800 / crowd.size(); i++) {
            if (passes(store, rules.plan(request, 0, member * 800L + i))) mine++;
          }
          return mine;
        });
    assertThat(admitted).isEqualTo(limit.capacity());
    var outcomes = store.peek(rules.plan(Request.of(request.subject(), 0), 0, 0)).outcomes();
    assertThat(outcomes.stream().map(outcome -> outcome.remaining()))
        .containsExactly(120 - admitted, 130 - admitted, 0L);
  }

  /** Each rule counts what its callers took; whatever was refused must not show up anywhere. */
  @ParameterizedTest
  @EnumSource
  void everyChargeIsOneAdmissionInWhateverOrderThePlansNameTheirCounters(ConcurrentRunner crowd)
      throws Exception {
    var store = open();
    int keys = 5;
    var x = Rule.named("x").match("x", "*").limit(new TokenBucket(Rate.perHour(40))).build();
    var y = Rule.named("y").match("y", "*").limit(RollingWindow.of(Rate.perHour(50))).build();
    var z = Rule.named("z").match("z", "*").limit(new TokenBucket(Rate.perHour(60))).build();
    var orders = List.of(RuleSet.of(x, y, z), RuleSet.of(z, y, x), RuleSet.of(y, z, x));
    var taken = Map.of("x", counts(keys), "y", counts(keys), "z", counts(keys));
    crowd.sum(member -> {
      var random = new Random(member);
      for (int i = 0; i < 4_000 / crowd.size(); i++) {
        var of = Map.of("x", random.nextInt(keys), "y", random.nextInt(keys));
        var some = random.nextInt(3) == 0 ? of : with(of, "z", random.nextInt(keys));
        var plan = orders.get(member % 3).plan(Request.of(subject(some)), 0, 0);
        if (passes(store, plan))
          some.forEach((rule, key) -> requireNonNull(taken.get(rule)).incrementAndGet(key));
      }
      return 0;
    });
    for (var rule : List.of(x, y, z)) {
      for (int key = 0; key < keys; key++) {
        var look = Request.of(subject(Map.of(rule.id(), key)), 0);
        var left = store.peek(RuleSet.of(rule).plan(look, 0, 0)).first().remaining();
        assertThat(rule.limits().getFirst().limit().capacity() - left)
            .as("rule %s, key %d", rule.id(), key)
            .isEqualTo(requireNonNull(taken.get(rule.id())).get(key));
      }
    }
  }

  /** One limit that runs out, another that does not, and a counter that each caller asks twice. */
  @ParameterizedTest
  @MethodSource("everyKindAndCrowd")
  void requestsThatGoTogetherAreAllChargedOrNoneIs(Limit limit, ConcurrentRunner crowd)
      throws Exception {
    var store = open();
    var rules =
        RuleSet.of(
            Rule.named("scarce").match("x", "*").limit(limit).build(),
            Rule.named("ample")
                .match("y", "*")
                .limit(new TokenBucket(Rate.perHour(5_000)))
                .build());
    var scarce = Request.of(Subject.of("x", "1"));
    var ample = Request.of(Subject.of("y", "1"), 3);
    long admitted =
        crowd.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 800 / crowd.size(); i++) {
            long holder = member * 800L + i;
            var plans = new ArrayList<Plan>();
            for (var request : List.of(ample, scarce, scarce, ample)) {
              plans.add(rules.plan(request, 0, holder));
            }
            if (passes(store, CombinedPlan.of(plans).whole())) mine++;
          }
          return mine;
        });
    assertThat(admitted).isEqualTo(limit.capacity() / 2);
    assertThat(store.peek(rules.plan(Request.of(scarce.subject(), 0), 0, 0)).first().remaining())
        .isEqualTo(limit.capacity() % 2);
    assertThat(store.peek(rules.plan(Request.of(ample.subject(), 0), 0, 0)).first().remaining())
        .isEqualTo(5_000 - 6 * admitted);
  }

  /** Two counters that are only ever charged together: nobody may see one without the other. */
  @ParameterizedTest
  @EnumSource
  void aPlanIsSeenWholeOrNotAtAll(ConcurrentRunner crowd) throws Exception {
    var store = open();
    var rules =
        RuleSet.of(
            Rule.named("a").match("key", "*").limit(new TokenBucket(Rate.perHour(100))).build(),
            Rule.named("b").match("key", "*").limit(RollingWindow.of(Rate.perHour(100))).build());
    crowd.sum(member -> {
      for (int i = 0; i < 20_000 / crowd.size(); i++) {
        var plan = rules.plan(Request.of(Subject.of("k" + i)), 0, 0);
        if (member % 2 == 0) {
          store.decide(plan);
        } else {
          var seen = store.peek(plan).outcomes();
          assertThat(seen.getFirst().remaining()).isEqualTo(seen.getLast().remaining());
        }
      }
      return 0;
    });
  }

  @ParameterizedTest
  @EnumSource
  void neverAreMoreInFlightThanThereAreSlots(ConcurrentRunner crowd) throws Exception {
    var store = open();
    var slots = new Concurrency(3, Duration.ofSeconds(30));
    var inFlight = new AtomicInteger();
    long admitted =
        crowd.sum(member -> {
          long mine = 0;
          var plan = plan(slots, "k", 1, member);
          for (int i = 0; i < 4_000 / crowd.size(); i++) {
            if (!passes(store, plan)) continue;
            mine++;
            assertThat(inFlight.incrementAndGet()).isLessThanOrEqualTo(3);
            assertThat(store.renew(charge(plan))).isTrue();
            inFlight.decrementAndGet();
            assertThat(store.release(charge(plan))).isTrue();
          }
          return mine;
        });
    assertThat(admitted).isPositive();
    assertThat(ask(store, plan(slots, "k", 3, -1))).isInstanceOf(Passed.class);
  }

  @ParameterizedTest
  @EnumSource
  void aResetGivesBackOneCapacityAndNoMore(ConcurrentRunner crowd) throws Exception {
    var store = open();
    var limit = new TokenBucket(Rate.perHour(10));
    var resets = new AtomicInteger();
    long admitted =
        crowd.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 4_000 / crowd.size(); i++) {
            if (ask(store, plan(limit, "k")) instanceof Passed) mine++;
            if (i % 10 == 9 && member % 4 == 0) {
              resets.incrementAndGet();
              reset(store, plan(limit, "k"));
            }
          }
          return mine;
        });
    assertThat(admitted).isBetween(10L, 10L * (1 + resets.get()));
  }

  /** Two instances that have not both heard of a change yet ask by the old limit and the new. */
  @ParameterizedTest
  @EnumSource
  void aLimitThatIsBeingChangedIsNotGivenTwice(ConcurrentRunner crowd) throws Exception {
    var store = open();
    var versions =
        List.of(
            RollingWindow.of(Rate.perHour(100)),
            RollingWindow.of(Rate.perDay(100)),
            new RollingWindow(Rate.perHour(100), Duration.ZERO));
    long admitted =
        crowd.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 1_600 / crowd.size(); i++) {
            var limit = versions.get((member + i) % versions.size());
            if (ask(store, plan(limit, "k")) instanceof Passed) mine++;
          }
          return mine;
        });
    assertThat(admitted).isEqualTo(100);
  }

  /** As above, for limits whose states do not fit each other and are scaled to and fro. */
  @ParameterizedTest
  @EnumSource
  void aLimitThatIsBeingChangedToAnotherKindGivesNothingAway(ConcurrentRunner crowd)
      throws Exception {
    var store = open();
    var versions = List.of(new TokenBucket(Rate.perHour(100)), new TokenBucket(Rate.perDay(100)));
    long admitted =
        crowd.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 1_600 / crowd.size(); i++) {
            if (ask(store, plan(versions.get((member + i) % 2), "k")) instanceof Passed) mine++;
          }
          return mine;
        });
    assertThat(admitted).isBetween(1L, 100L);
  }

  private static AtomicIntegerArray counts(int keys) {
    return new AtomicIntegerArray(keys);
  }

  private static Map<String, Integer> with(Map<String, Integer> some, String name, int value) {
    var more = new java.util.HashMap<>(some);
    more.put(name, value);
    return more;
  }

  private static Subject subject(Map<String, Integer> keys) {
    var attributes = new java.util.HashMap<String, String>();
    keys.forEach((name, key) -> attributes.put(name, "k" + key));
    return Subject.of(attributes);
  }
}
