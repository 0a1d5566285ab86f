package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TestEffortTest {
  @Test
  void everyEffortHasItsName() {
    assertThat(TestEffort.named("quick")).isEqualTo(TestEffort.QUICK);
    assertThat(TestEffort.named("thorough")).isEqualTo(TestEffort.THOROUGH);
  }

  @Test
  void otherNameIsRejectedWithTheAllowedOnes() {
    assertThatThrownBy(() -> TestEffort.named("Deep"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("headgate.test.effort is 'Deep', but must be quick or thorough");
  }
}
