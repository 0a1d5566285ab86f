package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventuallyTest {
  @Test
  void pollsUntilTheConditionHolds() {
    var calls = new AtomicInteger();
    Eventually.holds("three", Duration.ofMinutes(1), () -> calls.incrementAndGet() == 3);
    assertThat(calls).hasValue(3);
  }

  @Test
  void exceptionMeansNotYet() {
    var calls = new AtomicInteger();
    Eventually.holds(
        "no failure",
        Duration.ofMinutes(1),
        () -> {
          if (calls.incrementAndGet() < 3) throw new IOException("too early");
          return true;
        });
    assertThat(calls).hasValue(3);
  }

  @Test
  void timeoutNamesTheConditionAndTheLastException() {
    assertThatThrownBy(() ->
            Eventually.holds(
                "the moon is blue",
                Duration.ofMillis(30),
                () -> {
                  throw new IOException("clouds");
                }))
        .isInstanceOf(AssertionError.class)
        .hasMessage("not within 30 ms: the moon is blue; the last try failed: clouds")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void interruptionEndsTheWait() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Eventually.holds("never", Duration.ofMinutes(1), () -> false))
        .hasMessage("interrupted before: never");
    assertThat(Thread.interrupted()).isTrue();
  }
}
