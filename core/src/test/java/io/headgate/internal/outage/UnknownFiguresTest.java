package io.headgate.internal.outage;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.OutageListener;
import io.headgate.store.StoreException.Kind;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** While the store is unavailable, results state what is unknown, and never a fresh counter. */
class UnknownFiguresTest {
  private static final Subject SUBJECT = Subject.of("user:1");

  private final AtomicLong clock = new AtomicLong(START);
  private final FaultyStore remote = new FaultyStore(clock::get);
  private final CircuitBreakingStore store =
      TestStores.around(remote, remote::probe, () -> 2, OutageListener.NONE, clock::get, 1_000);

  @AfterEach
  void close() {
    store.close();
  }

  private RateLimiter limiter(Rule... rules) {
    return RateLimiter.with(store, RuleSet.of(rules), clock::get);
  }

  private static Rule rule(String id, FailurePolicy policy) {
    return Rule.named(id)
        .match("key", "*")
        .onStoreFailure(policy)
        .limit(FixedWindow.of(Rate.perHour(200)))
        .build();
  }

  @Test
  void availableStoreReportsItsFigures() {
    var result = limiter(rule("r", new Allow())).checkForResult(SUBJECT);
    assertThat(result.limit().orElseThrow().isKnown()).isTrue();
    assertThat(result.limit().orElseThrow().onStoreFailure()).isEmpty();
    assertThat(result.limit().orElseThrow().remaining()).isEqualTo(199);
  }

  @Test
  void remainingPermitsAreUnknownUnderAllowAndDeny() {
    remote.fail(Kind.CONNECTION);
    for (var policy : new FailurePolicy[] {new Allow(), new Deny()}) {
      var limiter = limiter(rule("r", policy));
      for (var report :
          new LimitReport[] {
            limiter.checkForResult(SUBJECT).limit().orElseThrow(),
            limiter.peek(SUBJECT).limit().orElseThrow(),
            limiter.explain(SUBJECT).getFirst().limits().getFirst()
          }) {
        assertThat(report.isKnown()).isFalse();
        assertThat(report.onStoreFailure()).contains(policy);
        assertThat(report.toString()).startsWith("r: unknown of 200 left");
      }
    }
  }

  @Test
  void decisionSaysThatTheRemainingPermitsAreUnknown() {
    remote.fail(Kind.CONNECTION);
    var limiter = limiter(rule("r", new Allow()));
    assertThat(limiter.check(SUBJECT))
        .isInstanceOfSatisfying(
            Decision.Allowed.class,
            allowed -> assertThat(allowed.remaining()).isEqualTo(Decision.Allowed.UNKNOWN));
    assertThat(limiter.peek(SUBJECT).decision())
        .isInstanceOfSatisfying(
            Decision.Allowed.class,
            allowed -> assertThat(allowed.remaining()).isEqualTo(Decision.Allowed.UNKNOWN));
  }

  @Test
  void localPolicyReportsTheShareOfThisInstance() {
    remote.fail(Kind.CONNECTION);
    var report = limiter(rule("r", new Local())).checkForResult(SUBJECT).limit().orElseThrow();
    assertThat(report.isKnown()).isTrue();
    assertThat(report.onStoreFailure()).contains(new Local());
    assertThat(report.remaining()).isEqualTo(99); // of 200 / 2 instances
  }

  @Test
  void knownLimitIsReportedRatherThanAnUnknownOne() {
    remote.fail(Kind.CONNECTION);
    var result = limiter(rule("open", new Allow()), rule("local", new Local())).peek(SUBJECT);
    assertThat(result.rule().orElseThrow().id()).isEqualTo("local");
  }

  @Test
  void timeOfTheFirstFailureIsReportedWhileUnavailable() {
    assertThat(store.unavailableSince()).isEmpty();
    remote.fail(Kind.CONNECTION);
    limiter(rule("r", new Allow())).check(SUBJECT);
    clock.addAndGet(5_000_000);
    assertThat(store.unavailableSince()).hasValue(START);
  }
}
