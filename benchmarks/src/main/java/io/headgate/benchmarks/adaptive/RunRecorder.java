package io.headgate.benchmarks.adaptive;

import io.headgate.load.CallOutcome;
import org.HdrHistogram.Histogram;

/** Counts what happens in a run, from the end of the warm-up on. */
final class RunRecorder {
  private static final double INVERSION = 0.1; // seconds

  private final Plant plant;
  private final Histogram durations = new Histogram(3);
  private final double[] goodBySecond;
  private final double[] inFlightByTick; // every 10 ms
  private final long[] goodByTenant;
  private final long[] arrivedByTenant;
  private final long[] refusedByPriority = new long[8];
  private final long[] arrivedByPriority = new long[8];
  private long inverted;
  private double lowerAdmittedAt = -1; // when a request of a lower priority was last admitted
  private int ticks;

  RunRecorder(Plant plant) {
    this.plant = plant;
    this.goodBySecond = new double[(int) Math.ceil(plant.seconds()) + 1];
    this.inFlightByTick = new double[(int) Math.ceil(plant.seconds() * 100) + 1];
    this.goodByTenant = new long[plant.tenants().size()];
    this.arrivedByTenant = new long[plant.tenants().size()];
  }

  void tick(double now, int inFlight) {
    if (ticks < inFlightByTick.length) inFlightByTick[ticks++] = inFlight;
  }

  void arrived(double now, Job job) {
    if (now < plant.warmUp()) return;
    arrivedByPriority[plant.tenants().get(job.tenant).priority()]++;
    if (job.attempt == 0) arrivedByTenant[job.tenant]++;
  }

  void refused(double now, Job job) {
    if (now < plant.warmUp()) return;
    int priority = plant.tenants().get(job.tenant).priority();
    refusedByPriority[priority]++;
    if (priority == 0 && lowerAdmittedAt > now - INVERSION) inverted++;
  }

  void admitted(double now, Job job) {
    if (plant.tenants().get(job.tenant).priority() > 0) lowerAdmittedAt = now;
  }

  void completed(double now, Job job, CallOutcome outcome) {
    boolean isGood = outcome == CallOutcome.SUCCESS;
    if (isGood) goodBySecond[Math.min(goodBySecond.length - 1, (int) now)]++;
    if (now < plant.warmUp()) return;
    durations.recordValue(Math.round((now - job.arrived) * 1e6));
    if (isGood) goodByTenant[job.tenant]++;
  }

  RunResult result() {
    return RunResult.of(
        plant,
        durations,
        goodBySecond,
        inFlightByTick,
        goodByTenant,
        arrivedByTenant,
        refusedByPriority[0] / (double) Math.max(1, arrivedByPriority[0]),
        inverted / (double) Math.max(1, arrivedByPriority[0]));
  }
}
