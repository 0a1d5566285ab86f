package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeasurementTest {
  @Test
  void oneDisturbedTurnDoesNotChangeTheMedian() {
    assertThat(Measurement.of(35, 34, 900)).isEqualTo(new Measurement(35, 433));
  }

  @Test
  void medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
    assertThat(Measurement.of(4, 1, 2, 3).median()).isEqualTo(2.5);
  }

  @Test
  void smallFiguresHaveMoreDigits() {
    assertThat(Measurement.of(34.26, 35.0)).hasToString("34.6 ± 0.4");
    assertThat(Measurement.of(12_345.6, 12_345.6)).hasToString("12,346 ± 0");
  }
}
