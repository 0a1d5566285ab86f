package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RuleCallersTest {
  private static final long START = 1_789_300_800L;
  private static final Rule USERS =
      Rule.named("users").match("key", "*").limit(FixedWindow.of(Rate.perHour(1))).build();

  private final RuleCallers callers = new RuleCallers(START);
  private final CheckResult denial = denial();

  private static CheckResult denial() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      limiter.check(Subject.of("user"));
      return limiter.checkForResult(Subject.of("user"));
    }
  }

  private void add(String caller, long second, int allowed, int denied) {
    var part = new CallerTable(second, 7).find("key", caller, Subject.of(caller), "users");
    part.allowed += allowed;
    for (int i = 0; i < denied; i++) part.countDenial(denial);
    callers.add(caller, second, part);
  }

  @Test
  void busiestAndMostDeniedCallersAreListedSeparately() {
    add("busy", START, 100, 0);
    add("denied", START, 1, 9);
    add("both", START, 50, 5);
    var stats = callers.stats(START);
    assertThat(stats.busiest())
        .containsExactly(
            new CallerWeight("busy", 100, 0),
            new CallerWeight("both", 55, 0),
            new CallerWeight("denied", 10, 0));
    assertThat(stats.denied())
        .containsExactly(new CallerWeight("denied", 9, 0), new CallerWeight("both", 5, 0));
    assertThat(stats.checks()).isEqualTo(165);
    assertThat(stats.denials()).isEqualTo(14);
  }

  @Test
  void countsDecayAndSmallOnesAreNotListed() {
    add("steady", START, 1_000, 0);
    add("once", START, 1, 0);
    var stats = callers.stats(START + TopCallers.WINDOW_SECONDS);
    assertThat(stats.busiest()).extracting(CallerWeight::caller).containsExactly("steady");
    assertThat(stats.busiest().getFirst().weight()).isCloseTo(1_000 / Math.E, withPercentage(0.01));
  }

  @Test
  void latestDenialsListEachCallerOnceWithTheLimit() {
    add("a", START, 0, 1);
    add("b", START + 1, 0, 2);
    add("a", START + 5, 0, 3);
    var latest = callers.stats(START + 5).latest();
    assertThat(latest).extracting(RuleDenial::caller).containsExactly("a", "b");
    var first = latest.getFirst();
    assertThat(first.sinceMillis()).isEqualTo(START * 1_000);
    assertThat(first.atMillis()).isEqualTo((START + 5) * 1_000);
    assertThat(first.count()).isEqualTo(4);
    assertThat(first.shadow()).isFalse();
    assertThat(first.limit()).isEqualTo("users");
    assertThat(first.retryAfterMillis().orElseThrow()).isBetween(1L, 3_600_000L);
  }

  @Test
  void deniedCostAboveTheCapacityHasNoRetryTime() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      var request = Request.of(Subject.of("user"), 7);
      var part = new CallerTable(START, 7).find("key", "user", Subject.of("user"), "users");
      part.countDenial(limiter.checkForResult(request));
      callers.add("user", START, part);
    }
    assertThat(callers.stats(START).latest().getFirst().retryAfterMillis())
        .isEqualTo(OptionalLong.empty());
  }

  @Test
  void floodOfLongNamesKeepsAllListsAndNamesBounded() {
    String prefix = "x".repeat(1_000);
    for (int i = 0; i < 5_000; i++) add(prefix + i, START + i / 100, 1, 1);
    var stats = callers.stats(START + 50);
    assertThat(callers.size()).isEqualTo(2 * RuleCallers.CAPACITY + RuleCallers.MAX_DENIALS);
    assertThat(stats.busiest()).hasSize(RuleCallers.MAX_LISTED);
    assertThat(stats.latest()).hasSize(RuleCallers.MAX_DENIALS);
    assertThat(stats.latest())
        .allMatch(denial -> denial.caller().length() == RuleCallers.MAX_NAME_LENGTH)
        .extracting(RuleDenial::caller)
        .doesNotHaveDuplicates();
    assertThat(stats.busiest().getFirst().error())
        .isLessThanOrEqualTo(stats.checks() / RuleCallers.CAPACITY);
  }
}
