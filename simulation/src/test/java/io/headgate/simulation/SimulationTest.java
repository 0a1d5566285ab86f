package io.headgate.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.headgate.testkit.TestEffort;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs all scenarios for some seconds in total, in equal parts. {@code headgate.simulation.seconds}
 * sets the total time, and {@code headgate.simulation.from} the first seed.
 */
class SimulationTest {
  private static final long SECONDS =
      Long.getLong("headgate.simulation.seconds", TestEffort.of(6, 40));
  private static final int MAX_SEEDS_OF_A_DEFECT = 200;
  private static final int LATE_SEEDS = 30;
  private static final long FROM = Long.getLong("headgate.simulation.from", 1);

  static Stream<String> scenarios() {
    return Simulate.ALL.stream().map(Scenario::name);
  }

  private static Scenario scenario(String name) {
    return Simulate.ALL.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyDecisionIsWithinTheGuaranteesOfItsRules(String name) {
    var scenario = scenario(name);
    long until = System.nanoTime() + SECONDS * 1_000_000_000 / Simulate.ALL.size();
    long steps = 0;
    long seed = FROM;
    for (; System.nanoTime() - until < 0; seed++) {
      var result = scenario.run(scenario.script(seed), false);
      steps += result.steps();
      if (result.failure() != null) {
        fail("seed " + seed + ": " + result.failure() + "\n" + Simulate.report(scenario, seed));
      }
    }
    System.out.printf("simulation %s: %d seeds, %d steps%n", name, seed - FROM, steps);
    assertThat(steps).isPositive();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void seedReplaysIdentically(String name) {
    var scenario = scenario(name);
    for (long seed = 1; seed <= 3; seed++) {
      var first = scenario.run(scenario.script(seed), true);
      var second = scenario.run(scenario.script(seed), true);
      assertThat(second.history()).isEqualTo(first.history()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void wrongProtocolOfOwnersIsFound(OwnedShard.Defect defect) {
    var scenario = new OwnersScenario(defect);
    boolean found = false;
    for (long seed = 1; seed <= MAX_SEEDS_OF_A_DEFECT && !found; seed++) {
      found = scenario.run(scenario.script(seed), false).failure() != null;
    }
    assertThat(found).as("%s in %d seeds", defect, MAX_SEEDS_OF_A_DEFECT).isTrue();
  }

  /** About one call in twenty is late. None is lost, so everything is charged in the end. */
  @Test
  void lateRepliesExceedStrictLimitsByAtMostOnePercent() {
    var scenario = new LateScenario();
    long late = 0;
    long decisions = 0;
    long excess = 0;
    long capacity = 0;
    for (long seed = 1; seed <= LATE_SEEDS; seed++) {
      var script = scenario.script(seed);
      var check = new LateCheck();
      var failure = new World(script, List.of(check), false, scenario::server).run();
      assertThat(failure).as("seed %d", seed).isNull();
      late += check.late();
      decisions += check.decisions();
      excess += check.excess();
      capacity += check.capacity();
    }
    assertThat(100 * late / decisions).as("percent of calls late").isBetween(3L, 8L);
    assertThat(100 * excess)
        .as("permits above limits of %d", capacity)
        .isLessThanOrEqualTo(capacity);
  }

  @Test
  void failingScriptShrinksToTheRelevantEvents() {
    // The check fails on the second request of a caller, independent of all other events.
    Scenario scenario =
        new Scenario() {
          @Override
          public String name() {
            return "shrunk";
          }

          @Override
          public RunScript script(long seed) {
            return new StrictScenario().script(seed);
          }

          @Override
          public List<Check> checks(RunScript script) {
            return List.of(new SecondRequest("u0"));
          }
        };
    var whole = scenario.script(7);
    var shrunk = new Shrinker(scenario).shrink(whole);
    assertThat(whole.events()).hasSizeGreaterThan(50);
    assertThat(shrunk.events()).hasSize(2);
  }

  private static final class SecondRequest implements Check {
    private final String user;
    private final List<TimedDecision> seen = new ArrayList<>();

    SecondRequest(String user) {
      this.user = user;
    }

    @Override
    public void decided(World world, TimedDecision decision) {
      if (!user.equals(decision.request().subject().get("user"))) return;
      seen.add(decision);
      if (seen.size() == 2) world.fail("a second request of " + user);
    }
  }
}
