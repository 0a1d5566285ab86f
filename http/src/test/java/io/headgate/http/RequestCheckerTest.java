package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
