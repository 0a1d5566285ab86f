package io.headgate.benchmarks.adaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.load.LoadSignal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks the simulator against results of queueing theory. */
class SimulationTest {
  @Test
  void runIsAFunctionOfItsSeed() {
    var plant = plant("M/M/16").lasting(15);
    var first = Simulation.run(plant, Contender.HEADGATE.policy(plant), 1);
    var second = Simulation.run(plant, Contender.HEADGATE.policy(plant), 1);
    var other = Simulation.run(plant, Contender.HEADGATE.policy(plant), 2);
    assertThat(first.inFlight()).isEqualTo(second.inFlight());
    assertThat(first.p99()).isEqualTo(second.p99());
    assertThat(first.inFlight()).isNotEqualTo(other.inFlight());
  }

  /** With as many slots as workers, nothing waits and the loss is that of Erlang's formula. */
  @Test
  void lossOfAFullServerIsErlangs() {
    var plant = Plant.of("Erlang", 4, new ServiceTime.Exponential(0.010));
    double offered = 3 * 4;
    double loss = 1;
    for (int k = 1; k <= 4; k++) loss = offered * loss / (k + offered * loss);
    var run = Simulation.run(plant, new LimitPolicy.Constant(4), 1);
    assertThat(run.goodput()).isCloseTo(offered * (1 - loss) / 4, within(0.02));
    assertThat(run.p99()).isCloseTo(0.010 * Math.log(100), within(0.003)); // unchanged by load
  }

  /** A processor-shared server at a load of one half has twice the latency of an idle one. */
  @Test
  void latencyOfProcessorSharingDoublesAtHalfLoad() {
    var service = new ServiceTime.Fixed(0.010);
    var plant =
        Plant.of("sharing", 1, service).shared().withLoad(Curve.constant(0.5), 0).lasting(200);
    var run = Simulation.run(plant, Contender.NONE.policy(plant), 1);
    double inFlight = 0;
    for (double number : run.inFlight()) inFlight += number / run.inFlight().length;
    assertThat(inFlight).isCloseTo(1, within(0.1)); // Little: 50 per second times 20 ms
    assertThat(run.goodput()).isCloseTo(1, within(0.02));
  }

  @Test
  void unlimitedServerCollapsesUnderOverload() {
    var plant = plant("M/M/16").lasting(20);
    assertThat(Simulation.run(plant, Contender.NONE.policy(plant), 1).goodput()).isLessThan(0.1);
  }

  @Test
  void fairnessIsJainsIndexOfMaxMinShares() {
    var tenants = List.of(new Plant.Tenant(0.9, 0), new Plant.Tenant(0.1, 0));
    var plant = plant("M/M/16").withTenants(tenants).lasting(20);
    var blind = Simulation.run(plant, Contender.FIXED_RIGHT.policy(plant), 1);
    AdmissionPolicy fair = (sender, tenant, caller, now, n) -> n < 19 && (tenant == 1 || n < 14);
    assertThat(blind.fairness()).isLessThan(0.8);
    assertThat(Simulation.run(plant, fair, 1).fairness()).isGreaterThan(0.95);
  }

  /** Its published formula reaches a probability of 1 no earlier than 148 s after rest. */
  @Test
  void stripesShedderActsSlowly() {
    var shedder = new StripeShedder();
    for (int s = 0; s < 300; s++) shedder.reported(0, LoadSignal.ofUtilization(0));
    for (int s = 0; s < 28; s++) shedder.reported(0, LoadSignal.ofUtilization(1));
    assertThat(admitted(shedder)).isEqualTo(1_000);
    for (int s = 0; s < 60; s++) shedder.reported(0, LoadSignal.ofUtilization(1));
    assertThat(admitted(shedder)).isBetween(450, 550);
    for (int s = 0; s < 61; s++) shedder.reported(0, LoadSignal.ofUtilization(1));
    assertThat(admitted(shedder)).isZero();
  }

  private static int admitted(AdmissionPolicy policy) {
    int admitted = 0;
    for (int i = 0; i < 1_000; i++) {
      if (policy.admits(new Plant.Tenant(1, 0), 0, 0, 0, 0)) admitted++;
    }
    return admitted;
  }

  private static Plant plant(String name) {
    return Plants.all().stream().filter(plant -> plant.name().equals(name)).findFirst().get();
  }
}
