package io.headgate;

import static io.headgate.Limiters.limiter;
import static io.headgate.Limiters.perMinute;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
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
import org.junit.jupiter.api.Test;

class ExplainTest {
  private static final Subject ADA = Subject.of("user:ada").with("path", "/login");

  private final ManualTicker ticker = new ManualTicker();

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
