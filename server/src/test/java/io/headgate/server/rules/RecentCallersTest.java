package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Subject;
import org.junit.jupiter.api.Test;

class RecentCallersTest {
  @Test
  void fewCallersAreAllSampled() {
    var callers = new RecentCallers(2);
    var one = callers.recorder();
    var other = callers.recorder();
    one.record(Subject.of("a"));
    one.record(Subject.of("b"));
    other.record(Subject.of("a"));
    assertThat(callers.sample()).containsExactlyInAnyOrder(Subject.of("a"), Subject.of("b"));
  }

  @Test
  void frequentCallerOccupiesOneSlot() {
    var callers = new RecentCallers(1);
    var recorder = callers.recorder();
    for (int i = 0; i < 100; i++) recorder.record(Subject.of("user:" + i));
    int before = callers.sample().size();
    for (int i = 0; i < 1_000_000; i++) recorder.record(Subject.of("loud"));
    assertThat(callers.sample()).contains(Subject.of("loud")).hasSizeBetween(before, before + 1);
  }

  @Test
  void alternatingCallersAreAllSampled() {
    var callers = new RecentCallers(1);
    var recorder = callers.recorder();
    for (int i = 0; i < 10_000; i++) recorder.record(Subject.of("early"));
    for (int i = 0; i < 100_000; i++)
      recorder.record(Subject.of("turn:" + i % RecentCallers.SAMPLING_RATE));
    assertThat(callers.sample()).hasSizeGreaterThan(RecentCallers.SAMPLING_RATE / 2);
  }

  @Test
  void newCallersReplaceOldOnesAndTheSampleIsBounded() {
    var callers = new RecentCallers(1);
    var recorder = callers.recorder();
    for (int i = 0; i < 10_000; i++) recorder.record(Subject.of("old:" + i));
    for (int i = 0; i < 1_000_000; i++) recorder.record(Subject.of("new:" + i));
    assertThat(callers.sample())
        .hasSize(RecentCallers.MAX_SAMPLE)
        .allMatch(subject -> subject.toString().startsWith("new:"));
  }
}
