package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckAllTest {
  private static final Request ADA = Request.of(Subject.of("user", "ada"));
  private static final Request BOB = Request.of(Subject.of("user", "bob"));
  private static final Request LOGIN = Request.of(Subject.of("path", "/login"));

  private static Rule.Builder perUser() {
    return Rule.named("per-user").match("user", "*");
  }

  private static Rule.Builder perPath() {
    return Rule.named("per-path").match("path", "*");
  }

  @Test
  void nothingIsChargedIfOneRequestIsDenied() {
    try (var limiter =
        RateLimiter.inMemory(
            perUser().limit(FixedWindow.of(Rate.perDay(10))).build(),
            perPath().limit(FixedWindow.of(Rate.perDay(2))).build())) {
      for (int i = 0; i < 5; i++) limiter.checkAll(List.of(ADA, LOGIN));
      var last = limiter.checkAll(List.of(ADA, LOGIN));
      assertThat(last.isAllowed()).isFalse();
      assertThat(last.each().get(0).isAllowed()).isTrue();
      assertThat(last.each().get(1).isAllowed()).isFalse();
      assertThat(last.whole().violated()).containsExactly("per-path");
      assertThat(limiter.peek(Request.of(ADA.subject(), 0)).limit().orElseThrow().remaining())
          .isEqualTo(8);
    }
  }

  @Test
  void costsOfTheSameCounterAddUp() {
    try (var limiter =
        RateLimiter.inMemory(perUser().limit(FixedWindow.of(Rate.perDay(5))).build())) {
      var first = limiter.checkAll(List.of(ADA, BOB, ADA));
      assertThat(remaining(first)).containsExactly(4L, 4L, 3L);
      assertThat(remaining(limiter.checkAll(List.of(ADA, ADA)))).containsExactly(2L, 1L);
      assertThat(limiter.checkAll(List.of(ADA, ADA)).isAllowed()).isFalse();
      assertThat(limiter.check(ADA)).isInstanceOf(Decision.Allowed.class);
      assertThat(limiter.check(ADA)).isInstanceOf(Decision.Denied.class);
    }
  }

  @Test
  void sumAboveTheCapacityIsImpossible() {
    try (var limiter =
        RateLimiter.inMemory(perUser().limit(RollingWindow.of(Rate.perDay(2))).build())) {
      var result = limiter.checkAll(List.of(ADA, ADA, ADA));
      assertThat(result.whole().decision()).isEqualTo(new Decision.Impossible(3, 2));
      assertThat(limiter.checkAll(List.of(ADA, ADA)).isAllowed()).isTrue();
    }
  }

  @Test
  void requestsWithSeparateCountersDoNotAddUp() {
    var rule =
        perUser()
            .per("user")
            .limit(FixedWindow.of(Rate.perDay(100)))
            .override("path", "/login", FixedWindow.of(Rate.perDay(2)))
            .build();
    var login = Request.of(Subject.of("user", "ada").with("path", "/login"));
    try (var limiter = RateLimiter.inMemory(rule)) {
      var result = limiter.checkAll(List.of(ADA, login));
      assertThat(result.isAllowed()).isTrue();
      assertThat(remaining(result)).containsExactly(99L, 1L);
      assertThat(limiter.checkAll(List.of(ADA, login)).isAllowed()).isTrue();
      assertThat(limiter.checkAll(List.of(ADA, login)).isAllowed()).isFalse();
    }
  }

  @Test
  void shadowRuleNeverDeniesAndIsChargedOnlyIfItPasses() {
    try (var limiter =
        RateLimiter.inMemory(
            perUser().mode(Mode.SHADOW).limit(FixedWindow.of(Rate.perDay(1))).build())) {
      var result = limiter.checkAll(List.of(ADA, ADA));
      assertThat(result.isAllowed()).isTrue();
      assertThat(result.each().get(1).shadowViolated()).containsExactly("per-user");
    }
  }

  @Test
  void slotsOfAllRequestsAreReleasedByOneId() {
    var rule = perUser().limit(Concurrency.of(2).withLease(Duration.ofMinutes(1))).build();
    try (var limiter = RateLimiter.inMemory(rule)) {
      var taken = limiter.checkAll(List.of(ADA, ADA));
      assertThat(limiter.checkAll(List.of(ADA)).isAllowed()).isFalse();
      assertThat(limiter.release(taken.whole().slotId().orElseThrow())).isTrue();
      assertThat(limiter.checkAll(List.of(ADA, ADA)).isAllowed()).isTrue();
    }
  }

  @Test
  void emptyListAndUnmatchedRequestsAreAllowed() {
    try (var limiter =
        RateLimiter.inMemory(perUser().limit(FixedWindow.of(Rate.perDay(1))).build())) {
      assertThat(limiter.checkAll(List.of()).isAllowed()).isTrue();
      assertThat(limiter.checkAll(List.of(LOGIN, LOGIN)).isAllowed()).isTrue();
    }
  }

  private static List<Long> remaining(JointResult result) {
    return result.each().stream().map(v -> v.limit().orElseThrow().remaining()).toList();
  }
}
