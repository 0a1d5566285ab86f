package io.headgate;

import static io.headgate.Limiters.limiter;
import static io.headgate.Limiters.perMinute;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Combine;
import io.headgate.rule.MatchExplanation;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExplainTest {
  private static final Subject ADA = Subject.of("user:ada").with("path", "/login");

  private final ManualTicker ticker = new ManualTicker();

  @Test
  void explainShowsPermitsThatReservationsHold() {
    var limiter =
        limiter(
            ticker,
            Rule.named("per-user").match("key", "user:*").limit(perMinute(10)).build(),
            Rule.named("all").limit(FixedWindow.of(Rate.perMinute(100))).build());
    var mine = limiter.reserve(Request.of(Subject.of("user:ada"), 3));
    limiter.reserve(Request.of(Subject.of("user:bob"), 5));
    var ada = limiter.explain(Subject.of("user:ada"));
    assertThat(ada.stream().map(rule -> rule.held().getFirst().permits())).containsExactly(3L, 8L);
    assertThat(ada.getLast().held().getFirst().reservations()).isEqualTo(2);
    assertThat(ada.getFirst().usage(ada.getFirst().limits().getFirst()).orElseThrow().used())
        .isZero();
    mine.settle(Costs.plain(2));
    var settled = limiter.explain(Subject.of("user:ada"));
    assertThat(settled.getFirst().held()).isEmpty();
    assertThat(settled.getLast().held().getFirst().permits()).isEqualTo(5);
  }

  @Test
  void explainListsEveryRuleWithReasonAndState() {
    var limiter =
        limiter(
            ticker,
            Rule.named("per-user")
                .match("key", "user:*")
                .limit(perMinute(10))
                .override("key", "user:ada", FixedWindow.of(Rate.perMinute(100)))
                .build(),
            Rule.named("uploads")
                .match("key", "user:*")
                .match("path", "/upload")
                .limit(perMinute(1))
                .build(),
            Rule.named("trial")
                .mode(Mode.SHADOW)
                .limit(RuleLimit.of("calls", perMinute(5)))
                .limit(RuleLimit.of("bytes", perMinute(9)).withCost("bytes"))
                .build(),
            Rule.named("default").fallback().limit(perMinute(1)).build());
    limiter.check(ADA);
    limiter.check(ADA);

    assertThat(limiter.explain(ADA).stream().map(ExplainTest::show))
        .containsExactly(
            "per-user: applies, with override 1 [fixed-window 98/100]",
            "uploads: path is /login, not /upload []",
            "trial: applies in shadow: counts and never denies"
                + " [token-bucket 3/5, token-bucket 9/9]",
            "default: is a fallback, and another rule applies []");
  }

  @Test
  void explainChargesNothingAndStoresNothing() {
    var limiter =
        limiter(ticker, Rule.named("per-user").match("key", "*").limit(perMinute(1)).build());
    for (int i = 0; i < 5; i++) limiter.explain(ADA);
    assertThat(limiter.store().trackedKeys()).isZero();
    assertThat(limiter.check(ADA).isAllowed()).isTrue();
  }

  @Test
  void throttledCallerHasNothingLeft() {
    var limiter = limiter(ticker, Rule.named("r").limit(perMinute(2)).build());
    limiter.check(Request.of(ADA, 2));
    assertThat(limiter.explain(ADA).stream().map(ExplainTest::show))
        .containsExactly("r: applies [token-bucket 0/2]");
  }

  /** One limit of three is spent; the other two have 4 and 7 permits left. */
  @ParameterizedTest
  @MethodSource("combinations")
  void remainingOfARuleIsTheHighestCostThatPasses(Combine combine, long expected) {
    var rule =
        Rule.named("r")
            .combine(combine)
            .limit(RuleLimit.of("a", perMinute(3)).withCost("a"))
            .limit(RuleLimit.of("b", perMinute(4)).withCost("b"))
            .limit(RuleLimit.of("c", perMinute(7)).withCost("c"))
            .build();
    var limiter = limiter(ticker, rule);
    limiter.check(costs(3, 0, 0));
    assertThat(limiter.explain(ADA).getFirst().remaining()).hasValue(expected);
    long above = expected + 1;
    assertThat(limiter.peek(costs(above, above, above)).isAllowed()).isFalse();
    assertThat(limiter.peek(costs(expected, expected, expected)).isAllowed()).isTrue();
  }

  static List<Arguments> combinations() {
    return List.of(
        Arguments.of(new Combine.All(), 0),
        Arguments.of(new Combine.Hierarchical(), 0),
        Arguments.of(new Combine.Priority(), 0),
        Arguments.of(new Combine.Any(), 7),
        Arguments.of(new Combine.Weighted(600), 4),
        Arguments.of(new Combine.Weighted(300), 7),
        Arguments.of(new Combine.Weighted(1000), 0));
  }

  private static Request costs(long a, long b, long c) {
    return new Request(ADA, 0, Map.of("a", a, "b", b, "c", c));
  }

  @Test
  void ruleThatDoesNotApplyHasNoRemainingPermits() {
    var limiter =
        limiter(ticker, Rule.named("r").match("path", "/other").limit(perMinute(2)).build());
    assertThat(limiter.explain(ADA).getFirst().remaining()).isEmpty();
  }

  @Test
  void explainUsesOneSnapshotOfTheRules() {
    var before = RuleSet.of(Rule.named("r").limit(perMinute(2)).build());
    var after = RuleSet.of(Rule.named("r").match("key", "*").limit(perMinute(7)).build());
    var store = new Interrupting(MemoryStore.create(ticker, 100));
    var limiter = RateLimiter.with(store, before, ticker);
    store.onPeek = () -> limiter.replaceRules(after);
    assertThat(
            limiter.explain(ADA).stream()
                .map(RuleExplanation::explanation)
                .map(MatchExplanation::rule))
        .containsExactlyElementsOf(before.rules());
    assertThat(limiter.rules()).isSameAs(after);
  }

  @Test
  void explainIsEmptyWithoutRules() {
    assertThat(limiter(ticker).explain(ADA)).isEmpty();
  }

  private static String show(RuleExplanation explained) {
    List<String> limits =
        explained.limits().stream()
            .map(report -> report.algorithm() + " " + report.remaining() + "/" + report.limit())
            .toList();
    return explained.explanation().rule().id()
        + ": "
        + explained.explanation().reason()
        + " "
        + limits;
  }

  /** Runs an action before each peek. */
  private static final class Interrupting extends ForwardingStore {
    private Runnable onPeek = () -> {};

    Interrupting(Store store) {
      super(store);
    }

    @Override
    public PlanResult peek(Plan plan) {
      onPeek.run();
      return super.peek(plan);
    }
  }
}
