package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Schedule;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operation works if the only rules that match are off, over, in shadow or exempt. */
class NoRuleAppliesTest {
  private static final Subject USER = Subject.of("u");
  private static final Request REQUEST = Request.of(USER);

  static Stream<List<Rule>> rulesThatDoNotLimit() {
    Limit bucket = TokenBucket.of(Rate.perSecond(1));
    var over =
        new Schedule(
            Schedule.ALWAYS.days(),
            Optional.empty(),
            ZoneOffset.UTC,
            Optional.empty(),
            Optional.of(LocalDateTime.of(2000, 1, 1, 0, 0)));
    return Stream.of(
        List.of(),
        List.of(rule("off", bucket).mode(Mode.OFF).build()),
        List.of(rule("off", Concurrency.of(1)).mode(Mode.OFF).build()),
        List.of(rule("over", bucket).active(over).build()),
        List.of(
            rule("off", bucket).mode(Mode.OFF).build(), rule("over", bucket).active(over).build()),
        List.of(rule("shadow", bucket).mode(Mode.SHADOW).build()),
        List.of(rule("fallback", bucket).fallback(true).mode(Mode.OFF).build()),
        List.of(Rule.named("exempt").match("key", "*").exempt(true).build()),
        List.of(
            Rule.named("exempt").match("key", "*").exempt(true).mode(Mode.OFF).build(),
            rule("off", bucket).mode(Mode.OFF).build()));
  }

  private static Rule.Builder rule(String id, Limit limit) {
    return Rule.named(id).match("key", "*").limit(limit);
  }

  @ParameterizedTest
  @MethodSource("rulesThatDoNotLimit")
  void everyOperationAllows(List<Rule> rules) throws Exception {
    try (var limiter = RateLimiter.with(MemoryStore.create(), RuleSet.of(rules))) {
      for (int i = 0; i < 3; i++) {
        assertThat(limiter.peek(REQUEST).isAllowed()).isTrue();
        assertThat(limiter.check(REQUEST).isAllowed()).isTrue();
        assertThat(limiter.checkForResult(REQUEST).isAllowed()).isTrue();
        assertThat(limiter.checkAll(List.of(REQUEST, REQUEST)).isAllowed()).isTrue();
        assertThat(limiter.await(REQUEST).isAllowed()).isTrue();
        assertThat(limiter.charge(REQUEST).isAllowed()).isTrue();
        assertThat(limiter.call(USER, () -> "done")).isEqualTo("done");
        limiter.explain(USER);
        limiter.reset(USER, "off");
        try (var slot = limiter.acquire(REQUEST)) {
          assertThat(slot.isAllowed()).isTrue();
        }
        var reservation = limiter.reserve(REQUEST, Duration.ofSeconds(5));
        assertThat(reservation.isAllowed()).isTrue();
        assertThat(reservation.update(Costs.plain(1)).mayContinue()).isTrue();
        assertThat(reservation.settle(Costs.plain(1))).isInstanceOf(ReservationState.Settled.class);
        assertThat(limiter.leases().acquireAsync(REQUEST, 10).toCompletableFuture())
            .isCompletedWithValueMatching(ClientLease.None.class::isInstance);
      }
    }
  }
}
