package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import org.junit.jupiter.api.Test;

class DividedPlanTest {
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("a")
              .limit(RuleLimit.of("one", FixedWindow.of(Rate.perHour(10))))
              .limit(RuleLimit.of("two", Concurrency.of(6)))
              .build(),
          Rule.named("b").limit(FixedWindow.of(Rate.perHour(20))).build(),
          Rule.named("c").limit(FixedWindow.of(Rate.perHour(40))).build());

  private final Plan plan = RULES.plan(Request.of(Subject.of("x"), 2), 0, 7);

  @Test
  void dividedPlanHasThePartsOfTheSelectedRules() {
    var shared = plan.dividedBy(4, part -> !part.rule().id().equals("b"));
    assertThat(shared.charges())
        .extracting(charge -> charge.counter() + " " + charge.limit().capacity())
        .containsExactly("a/one 2", "a/two 1", "c 10");
    assertThat(shared.parts()).extracting(Plan.Part::from).containsExactly(0, 2);
    assertThat(shared.charges()).allMatch(charge -> charge.cost() == 2 && charge.holder() == 7);
    assertThat(shared.parts().get(1).counters()).containsExactly(shared.charges().get(2).counter());
  }

  @Test
  void dividedCounterEqualsTheOriginal() {
    var counter = plan.charges().getFirst().counter();
    assertThat(counter.dividedBy(3)).isEqualTo(counter).isNotSameAs(counter);
    assertThat(counter.dividedBy(3).limit().capacity()).isEqualTo(3);
  }

  @Test
  void dividedCounterIsCached() {
    var counter = plan.charges().getFirst().counter();
    var ofThree = counter.dividedBy(3);
    assertThat(counter.dividedBy(3)).isSameAs(ofThree);
    assertThat(counter.dividedBy(2).limit().capacity()).isEqualTo(5);
    assertThat(counter.dividedBy(1)).isSameAs(counter);
  }

  @Test
  void planAtZeroCostHasTheSameCountersWithoutCost() {
    assertThat(plan.atZeroCost().charges())
        .hasSameSizeAs(plan.charges())
        .allMatch(charge -> charge.cost() == 0);
  }
}
