package io.headgate.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.headgate.simulation.RegionScenario.Mutant;
import io.headgate.testkit.TestEffort;
import org.junit.jupiter.api.Test;

/**
 * Runs the regions for two seconds, or six. {@code headgate.simulation.seconds} sets the total time
 * of all scenarios, of which this gets a seventh, and {@code headgate.simulation.from} the first
 * seed.
 */
class RegionScenarioTest {
  private static final long SECONDS =
      Long.getLong("headgate.simulation.seconds", TestEffort.of(10, 40)) / 7 + 1;
  private static final long FROM = Long.getLong("headgate.simulation.from", 1);

  @Test
  void regionsTogetherStayWithinTheLimitUnderAllFaults() {
    long until = System.nanoTime() + SECONDS * 1_000_000_000;
    long steps = 0;
    long messages = 0;
    long seed = FROM;
    for (; System.nanoTime() - until < 0; seed++) {
      var result = RegionScenario.run(seed, Mutant.NONE);
      if (result.failure() != null) fail("seed " + seed + ": " + result.failure());
      steps += result.steps();
      messages += result.messages();
    }
    System.out.printf(
        "simulation regions: %d seeds, %d steps, %d messages%n", seed - FROM, steps, messages);
    assertThat(messages).isPositive();
  }

  @Test
  void homeThatGrantsAtOnceAfterAnEmptyRestartIsFound() {
    long found = 0;
    for (long seed = 1; seed <= 300 && found == 0; seed++) {
      var failure = RegionScenario.run(seed, Mutant.NO_WAIT).failure();
      if (failure != null && failure.contains("over-admitted")) found = seed;
    }
    assertThat(found).isPositive();
  }

  @Test
  void seedReplaysIdentically() {
    for (long seed = 1; seed <= 5; seed++) {
      assertThat(RegionScenario.run(seed, Mutant.NONE))
          .isEqualTo(RegionScenario.run(seed, Mutant.NONE));
    }
  }
}
