package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Allowed;
import io.headgate.Decision.Delayed;
import io.headgate.Decision.Denied;
import io.headgate.Decision.Impossible;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DecisionTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void allowedAndDelayedRequestsAreAllowed() {
    assertThat(new Allowed(1, SECOND).isAllowed()).isTrue();
    assertThat(new Delayed(SECOND, 1, SECOND).isAllowed()).isTrue();
    assertThat(new Denied(SECOND).isAllowed()).isFalse();
    assertThat(new Impossible(2, 1).isAllowed()).isFalse();
  }

  @Test
  void decisionsCanBeMatchedExhaustively() {
    assertThat(describe(new Allowed(1, SECOND))).isEqualTo("1 left");
    assertThat(describe(new Delayed(SECOND, 1, SECOND))).isEqualTo("in PT1S");
    assertThat(describe(new Denied(SECOND))).isEqualTo("not before PT1S");
    assertThat(describe(new Impossible(2, 1))).isEqualTo("2 of 1");
  }

  private static String describe(Decision decision) {
    return switch (decision) {
      case Allowed(var remaining, var resetAfter) -> remaining + " left";
      case Delayed(var delay, var remaining, var resetAfter) -> "in " + delay;
      case Denied(var retryAfter) -> "not before " + retryAfter;
      case Impossible(var cost, var capacity) -> cost + " of " + capacity;
    };
  }
}
