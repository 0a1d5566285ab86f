package io.headgate.benchmarks.adaptive;

import io.headgate.benchmarks.adaptive.Plant.Tenant;
import io.headgate.benchmarks.adaptive.ServiceTime.Bimodal;
import io.headgate.benchmarks.adaptive.ServiceTime.Exponential;
import io.headgate.benchmarks.adaptive.ServiceTime.Fixed;
import io.headgate.benchmarks.adaptive.ServiceTime.LogNormal;
import io.headgate.benchmarks.adaptive.ServiceTime.Mixed;
import io.headgate.benchmarks.adaptive.ServiceTime.Uniform;
import java.util.List;

/**
 * The plants of the evaluation. The constants of the controllers were chosen on {@link #all} and
 * {@link #shedding}, and not on {@link #heldOut}.
 */
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

  /**
   * The plants for load shedding, which acts within tens of seconds: each is overloaded for two
   * minutes before it is measured.
   */
  static List<Plant> shedding() {
    var mixed = List.of(new Tenant(0.1, 0), new Tenant(0.3, 1), new Tenant(0.6, 2));
    var abusive =
        List.of(
            new Tenant(0.7, 0, 1),
            new Tenant(0.1, 0, 1),
            new Tenant(0.1, 0, 1),
            new Tenant(0.05, 0, 1),
            new Tenant(0.05, 0, 1));
    var unbounded = Plant.of("unbounded queue", 16, SERVICE).lasting(300).withWarmUp(120);
    var plain = unbounded.named("M/M/16").withQueue(1_600);
    return List.of(
        plain,
        unbounded,
        plain.named("M/M/16 at 1.3 times its capacity").withLoad(Curve.constant(1.3), 0),
        Plant.of("fixed service times", 16, new Fixed(0.020))
            .withQueue(1_600)
            .lasting(300)
            .withWarmUp(120),
        Plant.of("bimodal", 16, new Bimodal(0.005, 0.200, 0.1))
            .withQueue(1_300)
            .lasting(300)
            .withWarmUp(120),
        plain.named("collector pauses").withPauses(5, 0.25),
        plain.named("reports 2 s late").withStaleness(2),
        plain.named("reports 10 s late").withStaleness(10),
        plain.named("mixed priorities").withTenants(mixed),
        plain.named("one abusive tenant").withTenants(abusive),
        plain
            .named("step loss of capacity")
            .withTenants(mixed)
            .withLoad(Curve.constant(1.5), 0)
            .withWorkers(Curve.pulse(16, 150, 210, 8), 150),
        plain
            .named("ramp loss of capacity")
            .withTenants(mixed)
            .withLoad(Curve.constant(1.5), 0)
            .withWorkers(Curve.ramp(16, 130, 220, 8), 130),
        plain.named("retry storm").withLoad(Curve.pulse(0.8, 130, 135, 3), 135).withRetries(3));
  }

  /** Plants on which nothing was tuned: other capacities, distributions and disturbances. */
  static List<Plant> heldOut() {
    return List.of(
        Plant.of("lognormal, 12 workers", 12, new LogNormal(0.030)),
        Plant.of("hyperexponential, 6 workers", 6, new Mixed(0.004, 0.100, 0.1)),
        Plant.of("uniform, 40 workers", 40, new Uniform(0.015)),
        Plant.of("M/M/5 at 1.5 times its capacity", 5, new Exponential(0.040))
            .withLoad(Curve.constant(1.5), 0),
        Plant.of("M/M/64 at 5 times its capacity", 64, new Exponential(0.025))
            .withLoad(Curve.constant(5), 0),
        Plant.of("M/M/1", 1, new Exponential(0.005)),
        Plant.of("sharing, 24 workers", 24, new Uniform(0.030)).shared(),
        Plant.of("thrashing, 20 workers", 20, new Exponential(0.012)).shared().withThrashing(0.1),
        Plant.of("half of 24 workers lost", 24, new LogNormal(0.020))
            .withWorkers(Curve.pulse(24, 25, 1e9, 12), 25),
        Plant.of("workers added, 6 to 30", 30, SERVICE)
            .withWorkers(Curve.pulse(6, 25, 1e9, 30), 25),
        Plant.of("calls slower by half", 10, new Uniform(0.050))
            .withSlowdown(Curve.ramp(1, 15, 55, 1.5), 15)
            .withTimeout(2),
        Plant.of("short pauses", 12, new Exponential(0.015)).withPauses(2, 0.1),
        Plant.of("load in waves", 12, new LogNormal(0.020))
            .withLoad(at -> 1.75 + 1.5 * Math.sin(at / 4), 0),
        Plant.of("hangs for a minute", 10, new Exponential(0.030))
            .withHanging(Curve.pulse(0, 20, 80, 1), 0.5)
            .withLoad(Curve.constant(2), 80)
            .withTimeout(0.5)
            .lasting(120));
  }

  private Plants() {}
}
