package io.headgate.benchmarks.adaptive;

import io.headgate.benchmarks.adaptive.Plant.Tenant;
import io.headgate.benchmarks.adaptive.ServiceTime.Bimodal;
import io.headgate.benchmarks.adaptive.ServiceTime.Exponential;
import io.headgate.benchmarks.adaptive.ServiceTime.Fixed;
import java.util.List;

/** The plants of the evaluation. */
final class Plants {
  private static final ServiceTime SERVICE = new Exponential(0.020);

  static List<Plant> all() {
    return List.of(
        Plant.of("fixed service times", 16, new Fixed(0.020)),
        Plant.of("M/M/16", 16, SERVICE),
        Plant.of("M/M/2", 2, new Exponential(0.010)),
        Plant.of("M/M/200", 200, new Exponential(0.050)),
        Plant.of("slow calls", 5, new Exponential(1)).withTimeout(20).lasting(300),
        Plant.of("processor sharing", 8, new Exponential(0.010)).shared(),
        Plant.of("thrashing", 8, new Exponential(0.010)).shared().withThrashing(0.2),
        Plant.of("bimodal", 16, new Bimodal(0.005, 0.200, 0.1)),
        Plant.of("drifting service time", 16, SERVICE)
            .withSlowdown(Curve.ramp(1, 20, 40, 3), 20)
            .withTimeout(2),
        Plant.of("service time ×3 at once", 16, SERVICE)
            .withSlowdown(Curve.pulse(1, 20, 1e9, 3), 20)
            .withTimeout(2),
        Plant.of("collector pauses", 16, SERVICE).withPauses(5, 0.25),
        Plant.of("step loss of capacity", 32, SERVICE).withWorkers(Curve.pulse(32, 20, 40, 8), 20),
        Plant.of("ramp loss of capacity", 32, SERVICE).withWorkers(Curve.ramp(32, 15, 45, 8), 15),
        Plant.of("retry storm", 16, SERVICE)
            .withLoad(Curve.pulse(0.8, 20, 25, 3), 25)
            .withRetries(3),
        Plant.of("backend rejects", 16, SERVICE).withQueue(4),
        Plant.of("dependency times out", 16, SERVICE)
            .withHanging(Curve.pulse(0, 20, 35, 1), 0.9)
            .withLoad(Curve.constant(3), 35),
        Plant.of("constant timeouts", 16, SERVICE)
            .withHanging(Curve.pulse(0, 20, 320, 1), 0.25)
            .withLoad(Curve.constant(3), 320)
            .withTimeout(0.25)
            .lasting(400),
        Plant.of("long overload", 16, new Fixed(0.020)).withTimeout(0.5).lasting(300),
        Plant.of("quiet, then overload", 16, SERVICE).withLoad(Curve.pulse(0.3, 30, 1e9, 3), 30),
        Plant.of("stale reports", 16, SERVICE).withStaleness(10),
        Plant.of("mixed priorities", 16, SERVICE)
            .withTenants(List.of(new Tenant(0.2, 0), new Tenant(0.4, 1), new Tenant(0.4, 2))),
        Plant.of("one abusive tenant", 16, SERVICE)
            .withTenants(
                List.of(
                    new Tenant(0.7, 0),
                    new Tenant(0.1, 0),
                    new Tenant(0.1, 0),
                    new Tenant(0.05, 0),
                    new Tenant(0.05, 0))));
  }

  private Plants() {}
}
