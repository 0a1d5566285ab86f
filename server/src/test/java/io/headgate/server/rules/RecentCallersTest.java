package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Subject;
import org.junit.jupiter.api.Test;

class RecentCallersTest {
  @Test
  void fewCallersAreAllHeard() {
    var callers = new RecentCallers(2);
    var one = callers.ear();
    var other = callers.ear();
    one.hear(Subject.of("a"));
    one.hear(Subject.of("b"));
    other.hear(Subject.of("a"));
    assertThat(callers.sample()).containsExactlyInAnyOrder(Subject.of("a"), Subject.of("b"));
  }

  @Test
  void oneWhoAsksAllTheTimeTakesUpOnePlace() {
    var callers = new RecentCallers(1);
    var ear = callers.ear();
    for (int i = 0; i < 100; i++) ear.hear(Subject.of("user:" + i));
    int before = callers.sample().size();
    for (int i = 0; i < 1_000_000; i++) ear.hear(Subject.of("loud"));
    assertThat(callers.sample()).contains(Subject.of("loud")).hasSizeBetween(before, before + 1);
  }

  @Test
  void callersWhoTakeTurnsAreAllHeard() {
    var callers = new RecentCallers(1);
    var ear = callers.ear();
    for (int i = 0; i < 10_000; i++) ear.hear(Subject.of("early"));
    for (int i = 0; i < 100_000; i++) ear.hear(Subject.of("turn:" + i % RecentCallers.ONE_OF));
    assertThat(callers.sample()).hasSizeGreaterThan(RecentCallers.ONE_OF / 2);
  }

  @Test
  void newCallersTakeThePlacesOfOldOnesAndTheSampleHasItsBound() {
    var callers = new RecentCallers(1);
    var ear = callers.ear();
    for (int i = 0; i < 10_000; i++) ear.hear(Subject.of("old:" + i));
    for (int i = 0; i < 1_000_000; i++) ear.hear(Subject.of("new:" + i));
    assertThat(callers.sample())
        .hasSize(RecentCallers.MOST)
        .allMatch(subject -> subject.toString().startsWith("new:"));
  }
}
