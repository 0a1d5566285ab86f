package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.Unlimited;
import io.headgate.rule.Combine;
import io.headgate.rule.InvalidCostException;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Match;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Costs by names that no limit spends, that a limit requires, or that a reservation lacks. */
class NamedCostsTest {
  private static final Subject ADA = Subject.of("user", "ada");
  private static final FixedWindow HUNDRED = FixedWindow.of(Rate.perHour(100));
  private static final RuleLimit TOKENS = RuleLimit.of("tokens", HUNDRED).withCost("tokens");

  private static Rule.Builder rule(String id) {
    return Rule.named(id).match("user", "*");
  }

  private static RateLimiter limiter(Rule... rules) {
    return RateLimiter.inMemory(RuleSet.of(rules));
  }

  private static Request request(long cost, Map<String, Long> costs) {
    return new Request(ADA, cost, costs);
  }

  @Test
  void costThatNoMatchingLimitSpendsIsUnused() {
    var limiter =
        limiter(
            rule("tokens").limit(TOKENS).build(),
            Rule.named("other")
                .match("tenant", "*")
                .limit(RuleLimit.of("bytes", HUNDRED).withCost("bytes"))
                .build());
    var unused =
        limiter.unusedCosts(request(1, Map.of("token", 90_000L, "bytes", 1L, "tokens", 1L)));
    assertThat(unused.names()).containsExactly("bytes", "token");
    assertThat(unused.rules()).containsExactly("tokens");
    assertThat(limiter.unusedCosts(request(1, Map.of("tokens", 1L))).isEmpty()).isTrue();
    assertThat(limiter.unusedCosts(request(1, Map.of())).isEmpty()).isTrue();
  }

  @Test
  void costOfRequestThatNoRuleMatchesIsUnused() {
    var unused = limiter().unusedCosts(request(5, Map.of("tokens", 5L)));
    assertThat(unused.names()).containsExactly("tokens");
    assertThat(unused.rules()).isEmpty();
  }

  @Test
  void plainCostIsUnusedIfAllLimitsThatMatchSpendNamedCosts() {
    var limiter = limiter(rule("tokens").limit(TOKENS).build());
    assertThat(limiter.unusedCosts(request(900, Map.of())).names()).containsExactly("cost");
    assertThat(limiter.unusedCosts(request(1, Map.of())).isEmpty()).isTrue();
    assertThat(
            limiter(rule("tokens").limit(TOKENS).build(), rule("calls").limit(HUNDRED).build())
                .unusedCosts(request(900, Map.of()))
                .isEmpty())
        .isTrue();
  }

  @Test
  void costsOfOverridesAndOfRulesThatDoNotApplyNowAreUsed() {
    var limiter =
        limiter(
            rule("off").mode(Mode.OFF).limit(TOKENS).build(),
            rule("excused")
                .limit(RuleLimit.of("bytes", HUNDRED).withCost("bytes"))
                .override(
                    new LimitOverride(
                        Match.of("user", "ada"), List.of(RuleLimit.of("bytes", new Unlimited()))))
                .build(),
            rule("fallback")
                .fallback()
                .limit(RuleLimit.of("images", HUNDRED).withCost("images"))
                .build());
    var costs = Map.of("tokens", 1L, "bytes", 1L, "images", 1L);
    assertThat(limiter.unusedCosts(request(1, costs)).isEmpty()).isTrue();
  }

  @Test
  void denialAndExemptionLeaveNoCostUnused() {
    var costs = Map.of("token", 1L);
    assertThat(
            limiter(rule("deny").limit(new Deny()).build())
                .unusedCosts(request(1, costs))
                .isEmpty())
        .isTrue();
    assertThat(limiter(rule("exempt").exempt().build()).unusedCosts(request(1, costs)).isEmpty())
        .isTrue();
  }

  @Test
  void requestWithoutRequiredCostIsRejectedByEveryOperation() {
    var required = RuleLimit.of("tokens", HUNDRED).withRequiredCost("tokens");
    var limiter =
        limiter(rule("calls").limit(HUNDRED).build(), rule("tokens").limit(required).build());
    var request = request(7, Map.of("token", 90_000L));
    assertThatThrownBy(() -> limiter.check(request))
        .isInstanceOf(InvalidCostException.class)
        .hasMessageContaining(
            "limit 'tokens' requires the cost tokens, and the request has only others");
    assertThatThrownBy(() -> limiter.peek(request)).isInstanceOf(InvalidCostException.class);
    assertThatThrownBy(() -> limiter.reserve(request)).isInstanceOf(InvalidCostException.class);
    assertThatThrownBy(() -> limiter.charge(request)).isInstanceOf(InvalidCostException.class);
    assertThatThrownBy(() -> limiter.checkAll(List.of(request)))
        .isInstanceOf(InvalidCostException.class);
    assertThatThrownBy(() -> limiter.requireCosts(request))
        .isInstanceOf(InvalidCostException.class);
    assertThat(limiter.explain(ADA)).hasSize(2); // needs no costs
    var result = limiter.checkForResult(request(1, Map.of("tokens", 30L)));
    assertThat(result.limits()).extracting(LimitReport::remaining).containsExactly(99L, 70L);
  }

  @Test
  void shadowRuleRequiresNoCost() {
    var required = RuleLimit.of("tokens", HUNDRED).withRequiredCost("tokens");
    var limiter = limiter(rule("tokens").mode(Mode.SHADOW).limit(required).build());
    assertThat(limiter.check(ADA).isAllowed()).isTrue();
  }

  @Test
  void settlementByNameThatReservationLacksIsRejectedAndSettlesNothing() {
    var limiter = limiter(rule("calls").limit(HUNDRED).build());
    var reservation = limiter.reserve(request(10, Map.of()));
    assertThatThrownBy(() -> reservation.settle(Costs.of("tokens", 7)))
        .isInstanceOf(InvalidCostException.class)
        .hasMessage(
            "is not a cost of this reservation, which has cost; report one of these (nothing was"
                + " changed)");
    assertThatThrownBy(() -> reservation.update(Costs.plain(1), Costs.of("more", 7)))
        .isInstanceOf(InvalidCostException.class);
    var settled = (ReservationState.Settled) reservation.settle(Costs.of("cost", 7));
    assertThat(settled.limits()).extracting(ReservedLimit::charged).containsExactly(7L);
    assertThat(limiter.peek(ADA).limits()).extracting(LimitReport::remaining).containsExactly(93L);
  }

  @Test
  void plainCostIsNotThatOfReservationOfNamedCosts() {
    var limiter = limiter(rule("tokens").limit(TOKENS).build());
    var reservation = limiter.reserve(request(1, Map.of("tokens", 50L)));
    assertThatThrownBy(() -> reservation.settle(Costs.plain(7)))
        .isInstanceOf(InvalidCostException.class)
        .hasMessageContaining("which has tokens");
    assertThat(reservation.settle(Costs.of("tokens", 7)))
        .isInstanceOf(ReservationState.Settled.class);
  }

  @Test
  void closingAfterRejectedSettlementReturnsNothing() {
    var limiter = limiter(rule("tokens").limit(TOKENS).build());
    var request = request(1, Map.of("tokens", 50L));
    assertThatThrownBy(
            () -> {
              try (var reservation = limiter.reserve(request)) {
                reservation.settle(Costs.of("token", 7));
              }
            })
        .isInstanceOf(InvalidCostException.class)
        .hasNoSuppressedExceptions();
    assertThat(limiter.peek(ADA).limits()).extracting(LimitReport::remaining).containsExactly(50L);
  }

  @Test
  void costsOfRulesChangedSinceAreAccepted() {
    var limiter = limiter(rule("tokens").limit(TOKENS).build());
    var reservation = limiter.reserve(request(1, Map.of("tokens", 50L)));
    limiter.replaceRules(RuleSet.of(rule("calls").limit(HUNDRED).build()));
    assertThat(reservation.settle(Costs.of("tokens", 7)))
        .isInstanceOf(ReservationState.Settled.class);
  }

  @Test
  void costsOfLimitsThatDidNotTakePartAreAccepted() {
    var limiter =
        limiter(
            rule("any")
                .combine(new Combine.Any())
                .limit(TOKENS)
                .limit(RuleLimit.of("bytes", HUNDRED).withCost("bytes"))
                .build());
    var reservation = limiter.reserve(request(1, Map.of("tokens", 50L, "bytes", 60L)));
    assertThat(reservation.settle(Costs.of(Map.of("tokens", 7L, "bytes", 8L))))
        .isInstanceOf(ReservationState.Settled.class);
  }

  @Test
  void plainCostUnderTwoNamesIsRejected() {
    assertThatThrownBy(() -> new Costs(OptionalLong.of(1), Map.of("cost", 7L)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("given twice");
  }
}
