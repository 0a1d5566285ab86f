package io.headgate.benchmarks.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the aims of the adaptive limit on every plant, with the seed of the published table. The
 * exceptions are those that docs/adaptive.md states.
 */
class AdaptiveAimsTest {
  private static final List<Plant> PLANTS = Plants.all();

  /** The goodput of plants that miss the aim of 0.95. */
  private static final Map<String, Double> GOODPUT = Map.of("thrashing", 0.85);

  /** How far plants that miss the aim of 0.02 may be behind Gradient2. */
  private static final Map<String, Double> BEHIND =
      Map.of("M/M/2", 0.03, "M/M/16", 0.0205, "slow calls", 0.03, "drifting service time", 0.03);

  /** Half of the admitted calls of this plant hang, whatever the limit. */
  private static final String HANGING = "constant timeouts";

  private static final List<Contender> CONTENDERS =
      List.of(Contender.GRADIENT2, Contender.HEADGATE);

  private static final Map<Plant, Evaluation> EVALUATIONS = new ConcurrentHashMap<>();

  private static Evaluation evaluation(Plant plant) {
    return EVALUATIONS.computeIfAbsent(
        plant, each -> Evaluation.of(each, CONTENDERS, Evaluation.SEED));
  }

  static Stream<Evaluation> evaluations() {
    // The tenants of the others do not change what a limit without tenants does.
    var repeated = Set.of("stale reports", "mixed priorities", "one abusive tenant");
    return PLANTS.stream()
        .filter(plant -> !repeated.contains(plant.name()))
        .map(AdaptiveAimsTest::evaluation);
  }

  @ParameterizedTest
  @MethodSource("evaluations")
  void aimsAreMetButForTheDocumentedExceptions(Evaluation each) {
    String name = each.plant().name();
    var run = each.of(Contender.HEADGATE);
    assertThat(run.goodput()).isGreaterThan(GOODPUT.getOrDefault(name, 0.95));
    if (!name.equals(HANGING)) assertThat(run.p99()).isLessThan(each.p99Aim());
    assertThat(run.goodput())
        .isGreaterThan(each.of(Contender.GRADIENT2).goodput() - BEHIND.getOrDefault(name, 0.02));
  }

  static Stream<HeldOut> heldOut() {
    return Plants.heldOut().stream().map(plant -> HeldOut.of(plant, CONTENDERS));
  }

  /** Nothing was tuned on these plants. Single seeds are up to 5% behind Gradient2. */
  @ParameterizedTest
  @MethodSource("heldOut")
  void plantsThatWereNotUsedForTuningLoseLittleMore(HeldOut each) {
    boolean isThrashing = each.plant().name().startsWith("thrashing");
    assertThat(each.goodput(Contender.HEADGATE)).isGreaterThan(isThrashing ? 0.92 : 0.95);
    assertThat(each.goodput(Contender.HEADGATE))
        .isGreaterThan(each.goodput(Contender.GRADIENT2) - 0.04);
  }

  @Test
  void threePlantsThatBreakGradient2HaveAFifthMoreGoodput() {
    for (var plant : PLANTS) {
      if (!Set.of("M/M/200", "thrashing", "constant timeouts").contains(plant.name())) continue;
      var each = evaluation(plant);
      assertThat(each.of(Contender.HEADGATE).goodput())
          .as(plant.name())
          .isGreaterThan(1.2 * each.of(Contender.GRADIENT2).goodput());
    }
  }
}
