package io.headgate.benchmarks.adaptive;

import io.headgate.load.CallOutcome;
import org.HdrHistogram.Histogram;

/** Counts what happens in a run, from the end of the warm-up on. */
final class RunRecorder {
  private final Plant plant;
  private final Histogram durations = new Histogram(3);
  private final double[] goodBySecond;
  private final double[] inFlightByTick; // every 10 ms
  private final long[] goodByTenant;
  private final long[] arrivedByTenant;
  private final long[] refusedByPriority = new long[8];
  private final long[] arrivedByPriority = new long[8];
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
    if (now < Plant.WARM_UP) return;
    arrivedByPriority[plant.tenants().get(job.tenant).priority()]++;
    if (job.attempt == 0) arrivedByTenant[job.tenant]++;
  }

  void refused(double now, Job job) {
    if (now < Plant.WARM_UP) return;
    refusedByPriority[plant.tenants().get(job.tenant).priority()]++;
  }

  void completed(double now, Job job, CallOutcome outcome) {
    boolean isGood = outcome == CallOutcome.SUCCESS;
    if (isGood) goodBySecond[Math.min(goodBySecond.length - 1, (int) now)]++;
    if (now < Plant.WARM_UP) return;
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
        arrivedByPriority[0] == 0 ? 0 : (double) refusedByPriority[0] / arrivedByPriority[0]);
  }
}
