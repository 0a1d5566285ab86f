package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.Outcome;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.ReferenceStore;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the denials that instances repeat locally for tenants that share a limit fairly. */
class FairDenialTest {
  private static final int RATE = 1_000;

  private final Fleet fleet = new Fleet(3, rule(Consistency.LEASED));

  private static Rule rule(Consistency consistency) {
    var sharing = FairSharing.among("tenant").withWeight("t1", 3);
    var limit = new FairShare(TokenBucket.of(Rate.perSecond(RATE)), sharing);
    return Rule.named("r").match("key", "*").limit(limit).consistency(consistency).build();
  }

  @BeforeEach
  void subscribe() {
    fleet.instances.forEach(instance -> instance.store.subscribed());
  }

  private Plan plan(int tenant) {
    return fleet.plan(Subject.of("k").with("tenant", "t" + tenant), 1);
  }

  private void exhaust(int tenant) {
    while (fleet.first().decide(plan(tenant)).first() instanceof Outcome.Passed) {}
  }

  @ParameterizedTest
  @EnumSource
  void denialIsRepeatedForItsTenantOnly(Consistency mode) {
    fleet.rules = RuleSet.of(rule(mode));
    exhaust(0);
    assertThat(fleet.first().decide(plan(0)).source()).isEqualTo(Source.CACHE);
    assertThat(fleet.first().decide(plan(2)).source()).isEqualTo(Source.STORE);
    assertThat(fleet.first().check(Subject.of("k").with("tenant", "t2"), 1)).isTrue();
  }

  @Test
  void resetEndsTheDenialsOfAllTenants() {
    exhaust(0);
    exhaust(2);
    var charge = plan(0).charges().getFirst();
    fleet.shared.reset(charge.counter(), charge.key());
    fleet.first().store.counterReset(Fleet.nameOf(charge.counter(), charge.key()));
    for (int tenant : new int[] {0, 2}) {
      assertThat(fleet.first().decide(plan(tenant)).first()).isInstanceOf(Outcome.Passed.class);
    }
  }

  /** Every decision is that of the store alone, and most denials do not reach it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 10})
  void decisionsAreThoseOfTheStoreAndMostDenialsStayLocal(int loud) {
    var random = new Random(20_261_117);
    var alone = new ReferenceStore(fleet.ticker);
    int checks = 20_000 * loud;
    int denied = 0;
    for (int i = 0; i < checks; i++) {
      // Each loud tenant requests ten times the rate, and three quiet ones 20 per second each.
      fleet.ticker.sleep(i % loud == 0 ? 100 : 0);
      int tenant = random.nextInt(500 * loud) < 3 ? 20 + random.nextInt(3) : random.nextInt(loud);
      var plan = plan(tenant);
      var instance = fleet.instances.get(i % 3);
      boolean allowed = instance.decide(plan).first() instanceof Outcome.Passed;
      assertThat(allowed)
          .as("check %d of tenant %d", i, tenant)
          .isEqualTo(alone.decide(plan).first() instanceof Outcome.Passed);
      if (!allowed) denied++;
    }
    int calls = fleet.instances.stream().mapToInt(instance -> instance.calls).sum();
    int allowed = checks - denied;
    assertThat(calls - allowed).isLessThan(denied / 2);
  }
}
