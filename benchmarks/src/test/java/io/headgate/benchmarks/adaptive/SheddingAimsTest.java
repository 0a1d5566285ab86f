package io.headgate.benchmarks.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Checks the aims of load shedding on the plants of {@link Plants#shedding}, with the seed of the
 * published table. The exceptions are those that docs/adaptive.md states.
 */
class SheddingAimsTest {
  private static final double UTILIZATION = 0.9; // the target
  private static final List<String> STEADY =
      List.of(
          "M/M/16",
          "unbounded queue",
          "bimodal",
          "collector pauses",
          "mixed priorities",
          "one abusive tenant");

  /** Plants that show nothing that others do not, left out to save time. */
  private static final List<String> OMITTED =
      List.of("M/M/16 at 1.3 times its capacity", "fixed service times");

  private static final List<Contender> CONTENDERS =
      List.of(
          Contender.NONE, Contender.STRIPE, Contender.SHED_UTILIZATION, Contender.SHED_QUEUE_WAIT);

  private static final Map<String, Plant> PLANTS =
      Plants.shedding().stream()
          .filter(plant -> !OMITTED.contains(plant.name()))
          .collect(Collectors.toMap(Plant::name, Function.identity()));

  /** The runs that the tests compare, which are fewer than all contenders on all plants. */
  private static final Map<Run, RunResult> RESULTS = new ConcurrentHashMap<>();

  private record Run(String plant, Contender contender) {
    RunResult result() {
      var simulated = Objects.requireNonNull(PLANTS.get(plant));
      return Simulation.run(simulated, contender.policy(simulated), Evaluation.SEED);
    }
  }

  private static RunResult run(String plant, Contender contender) {
    return RESULTS.computeIfAbsent(new Run(plant, contender), Run::result);
  }

  @Test
  void overloadedServerWithoutSheddingAnswersNothingInTime() {
    for (String plant : STEADY) {
      assertThat(run(plant, Contender.NONE).goodput()).as(plant).isLessThan(0.01);
    }
  }

  @Test
  void utilizationReachesItsTarget() {
    for (String plant : STEADY) {
      assertThat(run(plant, Contender.SHED_UTILIZATION).goodput())
          .as(plant)
          .isGreaterThan(0.95 * UTILIZATION);
    }
  }

  @Test
  void queueWaitReachesTheCapacity() {
    for (String plant : STEADY) {
      assertThat(run(plant, Contender.SHED_QUEUE_WAIT).goodput()).as(plant).isGreaterThan(0.95);
    }
  }

  @Test
  void noCriticalRequestIsDroppedWhileLessImportantOnesPass() {
    var prioritized = PLANTS.values().stream().filter(Plant::hasPriorities).map(Plant::name);
    assertThat(prioritized)
        .isNotEmpty()
        .allSatisfy(plant -> {
          for (var contender : CONTENDERS) {
            var run = run(plant, contender);
            if (contender == Contender.STRIPE) assertThat(run.inverted()).isGreaterThan(0.5);
            else assertThat(run.inverted()).isZero();
          }
        });
  }

  @Test
  void callersOfAnAbusiveTenantAreDroppedFirst() {
    String plant = "one abusive tenant";
    double blind = run(plant, Contender.STRIPE).fairness();
    assertThat(blind).isLessThan(0.5);
    assertThat(run(plant, Contender.SHED_UTILIZATION).fairness()).isGreaterThan(0.75);
    assertThat(run(plant, Contender.SHED_QUEUE_WAIT).fairness()).isGreaterThan(0.85);
  }

  @Test
  void serverRecoversFromLossOfCapacityAndFromARetryStorm() {
    for (String plant : List.of("step loss of capacity", "ramp loss of capacity", "retry storm")) {
      double stripe = run(plant, Contender.STRIPE).goodput();
      for (var contender : List.of(Contender.SHED_UTILIZATION, Contender.SHED_QUEUE_WAIT)) {
        double goodput = run(plant, contender).goodput();
        assertThat(goodput).as(plant).isGreaterThan(0.75).isGreaterThan(stripe);
      }
    }
  }

  @Test
  void reportsThatAreTwoSecondsLateCostLittleAndTenSecondsLateAThird() {
    assertThat(run("reports 2 s late", Contender.SHED_UTILIZATION).goodput())
        .isGreaterThan(0.95 * UTILIZATION);
    assertThat(run("reports 10 s late", Contender.SHED_UTILIZATION).goodput())
        .isGreaterThan(0.65 * UTILIZATION);
  }
}
