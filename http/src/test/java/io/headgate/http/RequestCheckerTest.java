package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RequestCheckerTest {
  private static final Request REQUEST = Request.of(Subject.of("a"));

  private final List<CheckResult> counted = new ArrayList<>();

  private RequestChecker checker(String rules, Duration maxDelay) {
    return RequestChecker.of(
        RateLimiter.inMemory(RuleFile.read(rules)),
        maxDelay,
        (request, result, nanos) -> counted.add(result));
  }

  @Test
  void delayBeyondTheMaximumIsADenialWithoutAPlaceInTheQueue() {
    var checker =
        checker(
            "[{id: q, match: {key: '*'}, limit: {algorithm: leaky-bucket, rate: 1/1h, queue: 9}}]",
            Duration.ofMinutes(90));
    assertThat(checker.check(REQUEST).delay()).isZero();
    assertThat(checker.check(REQUEST).delay())
        .isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    for (int i = 0; i < 3; i++) {
      var result = checker.check(REQUEST);
      assertThat(result.decision()).isInstanceOf(Decision.Denied.class);
      assertThat(DenialProblem.of(result).status()).isEqualTo(429);
      assertThat(((Decision.Denied) result.decision()).retryAfter())
          .isBetween(Duration.ofMinutes(119), Duration.ofHours(2));
    }
    assertThat(counted).hasSize(5);
  }

  /** Counts the calls of a store. */
  private static final class CountedStore extends ForwardingStore {
    private int peeks;
    private int decisions;

    CountedStore() {
      super(MemoryStore.create());
    }

    @Override
    public PlanResult peek(Plan plan) {
      peeks++;
      return super.peek(plan);
    }

    @Override
    public PlanResult decide(Plan plan) {
      decisions++;
      return super.decide(plan);
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      decisions++;
      return super.decideAsync(plan);
    }
  }

  @Test
  void queueThatFitsIntoTheMaximumDelayNeedsOneCallOfTheStore() {
    for (var queue : List.of("queue: 5", "max-wait: 5h")) {
      var rules =
          "[{id: q, match: {key: '*'}, limit: {algorithm: leaky-bucket, rate: 1/1h, %s}}]"
              .formatted(queue);
      var store = new CountedStore();
      var limiter = RateLimiter.with(store, RuleFile.read(rules));
      var patient = RequestChecker.of(limiter, Duration.ofHours(5), CheckListener.NONE);
      assertThat(patient.check(REQUEST).delay()).isZero();
      for (int i = 0; i < 4; i++) assertThat(patient.check(REQUEST).isAllowed()).isTrue();
      assertThat(patient.checkAsync(REQUEST).toCompletableFuture().join().delay())
          .isBetween(Duration.ofMinutes(299), Duration.ofHours(5));
      assertThat(patient.check(REQUEST).isAllowed()).isFalse();
      assertThat(store.decisions).isEqualTo(7);
      assertThat(store.peeks).isZero();

      var hurried =
          RequestChecker.of(limiter, Duration.ofHours(5).minusNanos(1_000), CheckListener.NONE);
      assertThat(hurried.check(Request.of(Subject.of("b"))).isAllowed()).isTrue();
      assertThat(store.peeks).isEqualTo(1);
    }
  }

  @Test
  void slotsAreReleasedOnce() {
    var checker =
        checker(
            "[{id: c, match: {key: '*'}, limit: {algorithm: concurrency, max: 1}}]", Duration.ZERO);
    var slots = checker.slots(checker.check(REQUEST));
    assertThat(checker.check(REQUEST).isAllowed()).isFalse();
    slots.release(CallOutcome.SUCCESS);
    assertThat(checker.check(REQUEST).isAllowed()).isTrue();
    slots.release(CallOutcome.SUCCESS);
    assertThat(checker.check(REQUEST).isAllowed()).isFalse();
  }

  @Test
  void problemOfARuleThatDeniesHasTheReasonPhraseOfItsStatus() {
    var checker =
        checker(
            "[{id: d, match: {key: a}, limit: deny}, {id: e, match: {key: b}, limit: deny, status: 451}]",
            Duration.ZERO);
    assertThat(DenialProblem.of(checker.check(REQUEST)).json())
        .isEqualTo(
            "{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,\"violated-policies\":[\"d\"]}");
    assertThat(DenialProblem.of(checker.check(Request.of(Subject.of("b")))).title())
        .isEqualTo("Unavailable For Legal Reasons");
  }
}
