package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReturnPublisherTest {
  private static final TokenBucket ONE_AN_HOUR = TokenBucket.of(Rate.perHour(1));

  private final CounterKeys keys = new CounterKeys("h:");
  private final List<CompletableFuture<Long>> published = new ArrayList<>();
  private final ReturnPublisher returns =
      new ReturnPublisher(
          keys,
          key -> {
            published.add(new CompletableFuture<>());
            return published.getLast();
          });

  @Test
  void returnsDuringAPublicationArePublishedTogether() {
    var charge = charge(ONE_AN_HOUR);
    for (int i = 0; i < 5; i++) returns.returned(charge);
    assertThat(published).hasSize(1);
    published.getFirst().complete(1L);
    assertThat(published).hasSize(2);
    published.getLast().completeExceptionally(new IllegalStateException("lost"));
    assertThat(published).hasSize(2);
    returns.returned(charge);
    assertThat(published).hasSize(3);
  }

  @Test
  void returnsOfSlotsAreNotPublished() {
    returns.returned(charge(Concurrency.of(1)));
    assertThat(published).isEmpty();
  }

  private static Charge charge(Limit limit) {
    return rules(limit).plan(Request.of(Subject.of("k")), 0, 0).charges().getFirst();
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
  }
}
