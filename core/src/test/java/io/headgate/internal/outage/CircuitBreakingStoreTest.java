package io.headgate.internal.outage;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.AllowThenDeny;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the decisions of each failure policy, alone and combined, while the store is unavailable.
 */
class CircuitBreakingStoreTest {
  private static final Limit TEN_PER_HOUR = FixedWindow.of(Rate.perHour(10));

  private final AtomicLong clock = new AtomicLong(START);
  private final FaultyStore remote = new FaultyStore(clock::get);
  private final AtomicInteger instances = new AtomicInteger(2);
  private final CircuitBreakingStore store =
      TestStores.around(
          remote, remote::probe, instances::get, OutageListener.NONE, clock::get, 1_000);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void availableStoreDecides() {
    var result = store.decide(plan(1, rule("r", new Deny())));
    assertThat(result.source()).isEqualTo(Source.STORE);
    assertThat(result.first()).isInstanceOf(Passed.class);
    assertThat(result.first().remaining()).isEqualTo(9);
    assertThat(store.lastProblem()).isEmpty();
  }

  @Test
  void allowPolicyAllowsAndChargesNothing() {
    remote.fail(Kind.CONNECTION);
    var plan = plan(7, rule("r", new Allow()));
    for (int i = 0; i < 50; i++) {
      var result = store.decide(plan);
      assertThat(result.source()).isEqualTo(Source.FALLBACK);
      assertThat(result.outcomes()).containsExactly(new Passed(10, 0, 0));
    }
    recover();
    assertThat(store.decide(plan).first().remaining()).isEqualTo(3);
  }

  @Test
  void denyPolicyDeniesUntilTheNextProbe() {
    remote.fail(Kind.CONNECTION);
    var result = store.decide(plan(1, rule("r", new Deny())));
    assertThat(result.source()).isEqualTo(Source.FALLBACK);
    assertThat(result.first()).isInstanceOf(Refused.class);
    assertThat(result.first().remaining()).isZero();
    assertThat(((Refused) result.first()).retryAfter()).isBetween(50_000L, 1_000_000L);
  }

  @Test
  void graceTimeEndsExactly() {
    var plan = plan(1, rule("r", new AllowThenDeny(Duration.ofSeconds(30))));
    remote.fail(Kind.CONNECTION);
    assertThat(only(store.decide(plan))).isEqualTo(new Passed(10, 0, 0));
    clock.set(START + 29_999_999);
    assertThat(only(store.decide(plan))).isEqualTo(new Passed(10, 0, 0));
    clock.set(START + 30_000_000);
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
    clock.set(START + 300_000_000);
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
  }

  @Test
  void graceTimeStartsAtTheFirstFailure() {
    var plan = plan(1, rule("r", new AllowThenDeny(Duration.ofSeconds(30))));
    remote.fail(Kind.TIMEOUT);
    for (int second : List.of(0, 10, 20)) {
      clock.set(START + second * 1_000_000L);
      assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
    }
    assertThat(store.isUnavailable()).isTrue();
    clock.set(START + 30_000_000);
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
  }

  @Test
  void eachOutageHasItsOwnGraceTime() {
    var plan = plan(1, rule("r", new AllowThenDeny(Duration.ofSeconds(30))));
    remote.fail(Kind.CONNECTION);
    store.decide(plan);
    clock.addAndGet(60_000_000);
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
    recover();
    remote.fail(Kind.CONNECTION);
    assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
  }

  /** The successful probe after the failure ends the outage. */
  @Test
  void earlierIsolatedFailureDoesNotShortenTheGraceTime() {
    var plan = plan(1, rule("r", new AllowThenDeny(Duration.ofSeconds(30))));
    remote.fail(Kind.TIMEOUT);
    assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
    remote.heal();
    await().atMost(Duration.ofMinutes(1)).until(() -> remote.probes() > 0);
    awaitProberEnd();
    clock.addAndGet(3_600_000_000L);
    remote.fail(Kind.CONNECTION);
    assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
    clock.addAndGet(29_999_999);
    assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
    clock.addAndGet(1);
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
  }

  @Test
  void failuresWithSuccessfulProbesBetweenDoNotOpenTheBreaker() {
    var plan = plan(1, rule("r", new Deny()));
    for (int i = 0; i < 4; i++) {
      int probed = remote.probes();
      remote.fail(Kind.TIMEOUT);
      assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
      remote.heal();
      await().atMost(Duration.ofMinutes(1)).until(() -> remote.probes() > probed);
      awaitProberEnd();
    }
    assertThat(store.isUnavailable()).isFalse();
    assertThat(store.decide(plan).source()).isEqualTo(Source.STORE);
  }

  /** The probing thread records its success before it ends. */
  private static void awaitProberEnd() {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("headgate-probe")));
  }

  @Test
  void defaultPolicyEnforcesTheShare() {
    var rule = Rule.named("r").limit(TEN_PER_HOUR).build();
    remote.fail(Kind.CONNECTION);
    int admitted = 0;
    for (int i = 0; i < 20; i++) {
      if (only(store.decide(plan(1, rule))) instanceof Passed) admitted++;
    }
    assertThat(admitted).isEqualTo(5);
  }

  @Test
  void localPolicyEnforcesTheShare() {
    remote.fail(Kind.CONNECTION);
    var plan = plan(1, rule("r", new Local()));
    for (int left = 4; left >= 0; left--) {
      var result = store.decide(plan);
      assertThat(result.source()).isEqualTo(Source.FALLBACK);
      assertThat(result.first()).isInstanceOf(Passed.class);
      assertThat(result.first().remaining()).isEqualTo(left);
    }
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
    assertThat(store.trackedKeys()).isEqualTo(1);
  }

  @Test
  void changedNumberOfInstancesScalesTheShare() {
    remote.fail(Kind.CONNECTION);
    var plan = plan(1, rule("r", new Local()));
    for (int i = 0; i < 4; i++) store.decide(plan); // 4 of a share of 5
    instances.set(5); // a share of 2, all of it in use after rounding up
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
    instances.set(1); // a share of 10, all of it in use
    assertThat(only(store.peek(plan))).isInstanceOf(Refused.class);
    clock.addAndGet(3_600_000_000L);
    for (int i = 0; i < 10; i++) assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
  }

  @Test
  void zeroInstancesCountAsOne() {
    instances.set(0);
    remote.fail(Kind.CONNECTION);
    assertThat(only(store.decide(plan(10, rule("r", new Local()))))).isInstanceOf(Passed.class);
  }

  @Test
  void costAboveTheShareIsRefusedAndAboveTheLimitImpossible() {
    remote.fail(Kind.CONNECTION);
    var above = only(store.decide(plan(6, rule("r", new Local()))));
    assertThat(above).isInstanceOf(Refused.class);
    assertThat(((Refused) above).retryAfter()).isBetween(50_000L, 1_000_000L);
    assertThat(only(store.decide(plan(11, rule("r", new Local())))))
        .isEqualTo(new ExceedsCapacity(5, 0, 11, 10));
  }

  @Test
  void eachRuleIsDecidedByItsOwnPolicyInOrder() {
    remote.fail(Kind.CONNECTION);
    var plan =
        plan(
            1,
            rule("allow", new Allow()),
            rule("local", new Local()),
            rule("grace", new AllowThenDeny(Duration.ofSeconds(1))));
    assertThat(remainings(store.decide(plan))).containsExactly(10L, 4L, 10L);
    assertThat(remainings(store.decide(plan))).containsExactly(10L, 3L, 10L);
  }

  @Test
  void denyPolicyOfOneRuleLeavesLocalRulesUncharged() {
    remote.fail(Kind.CONNECTION);
    var both = plan(1, rule("local", new Local()), rule("deny", new Deny()));
    for (int i = 0; i < 20; i++) {
      var outcomes = store.decide(both).outcomes();
      assertThat(outcomes.getFirst()).isInstanceOf(Passed.class);
      assertThat(outcomes.getFirst().remaining()).isEqualTo(5);
      assertThat(outcomes.getLast()).isInstanceOf(Refused.class);
    }
    assertThat(remainings(store.decide(plan(1, rule("local", new Local()))))).containsExactly(4L);
  }

  @Test
  void localRuleReportsItsRefusalWhenAnotherRuleDenies() {
    remote.fail(Kind.CONNECTION);
    store.decide(plan(5, rule("local", new Local())));
    var both = plan(1, rule("local", new Local()), rule("deny", new Deny()));
    assertThat(store.decide(both).outcomes()).allMatch(Refused.class::isInstance);
  }

  @Test
  void refusalOfOneLocalRuleLeavesTheOtherUncharged() {
    remote.fail(Kind.CONNECTION);
    var small =
        Rule.named("small").onStoreFailure(new Local()).limit(FixedWindow.of(Rate.perHour(2)));
    var both = plan(1, rule("local", new Local()), small.build());
    assertThat(remainings(store.decide(both))).containsExactly(4L, 0L);
    assertThat(remainings(store.decide(both))).containsExactly(4L, 0L);
  }

  @Test
  void shadowRuleReportsItsDenialAndDoesNotDeny() {
    remote.fail(Kind.CONNECTION);
    var shadow =
        Rule.named("s").mode(Mode.SHADOW).onStoreFailure(new Deny()).limit(TEN_PER_HOUR).build();
    var plan = plan(1, shadow, rule("local", new Local()));
    var result = store.decide(plan);
    assertThat(result.outcomes().getFirst()).isInstanceOf(Refused.class);
    assertThat(plan.allows(result.outcomes())).isTrue();
    assertThat(result.outcomes().getLast().remaining()).isEqualTo(4);
    assertThat(store.decide(plan).outcomes().getLast().remaining()).isEqualTo(3);
  }

  @Test
  void peekReturnsTheDecisionAndChargesNothing() {
    remote.fail(Kind.CONNECTION);
    var plan = plan(1, rule("local", new Local()), rule("allow", new Allow()));
    for (int i = 0; i < 20; i++) assertThat(remainings(store.peek(plan))).containsExactly(4L, 10L);
    assertThat(store.peek(plan).source()).isEqualTo(Source.FALLBACK);
    assertThat(remainings(store.decide(plan))).containsExactly(4L, 10L);
  }

  @Test
  void localChargesCountInTheNextOutageUntilTheirWindowEnds() {
    var plan = plan(1, rule("r", new Local()));
    remote.fail(Kind.CONNECTION);
    for (int i = 0; i < 5; i++) store.decide(plan);
    recover();
    assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
    remote.fail(Kind.CONNECTION);
    assertThat(only(store.decide(plan))).isInstanceOf(Refused.class);
    clock.addAndGet(3_600_000_000L);
    assertThat(only(store.decide(plan))).isInstanceOf(Passed.class);
  }

  @Test
  void emptyPlanNeedsNoStore() {
    remote.fail(Kind.CONNECTION);
    var nothing = RuleSet.of().plan(Request.of(Subject.of("x")), 0, 0);
    assertThat(store.decide(nothing).outcomes()).isEmpty();
    assertThat(remote.requests()).isZero();
  }

  @Test
  void unexpectedExceptionIsDecidedByPolicyAndReported() {
    remote.fail(() -> new IllegalStateException("a wrong number of replies"));
    var plan = plan(1, rule("r", new Allow()));
    assertThatCode(() -> store.decide(plan)).doesNotThrowAnyException();
    assertThat(store.lastProblem())
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("other: ").contains("a wrong number of replies"));
  }

  private void recover() {
    remote.heal();
    await().atMost(Duration.ofMinutes(1)).until(() -> !store.isUnavailable());
  }

  private static Outcome only(PlanResult result) {
    assertThat(result.outcomes()).hasSize(1);
    return result.first();
  }

  private static List<Long> remainings(PlanResult result) {
    return result.outcomes().stream().map(Outcome::remaining).toList();
  }

  private static Rule rule(String id, FailurePolicy policy) {
    return Rule.named(id).onStoreFailure(policy).limit(TEN_PER_HOUR).build();
  }

  private static Plan plan(long cost, Rule... rules) {
    return RuleSet.of(rules).plan(Request.of(Subject.of("x"), cost), 0, 1);
  }
}
