package io.headgate.benchmarks.regions;

import io.headgate.benchmarks.Excess.Interval;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/** Checks of one caller in every region, at a constant rate for each region. */
final class RegionTraffic {
  /**
   * The checks of one region.
   *
   * @param admitted when checks were admitted
   * @param micros the time of each check, sorted
   */
  record Result(List<Interval> admitted, List<Long> micros) {
    double percentile(double share) {
      if (micros.isEmpty()) return 0;
      return micros.get((int) Math.min(micros.size() - 1L, (long) (share * micros.size())));
    }
  }

  private RegionTraffic() {}

  /**
   * Runs the traffic for a time.
   *
   * @param perSecond the checks per second of each region; 0 for none
   * @param process returns the process of a region, which may change while it runs
   * @param meanwhile runs beside the traffic
   */
  static List<Result> run(
      int[] perSecond, long millis, IntFunction<RegionProcess> process, Runnable meanwhile)
      throws InterruptedException, ExecutionException {
    var stop = new AtomicBoolean();
    var results = new ArrayList<Result>();
    try (var threads = Executors.newCachedThreadPool()) {
      var jobs = new ArrayList<Future<Result>>();
      for (int r = 0; r < perSecond.length; r++) {
        int region = r;
        jobs.add(threads.submit(() -> check(region, perSecond[region], process, stop)));
      }
      long end = System.nanoTime() + millis * 1_000_000;
      meanwhile.run();
      while (System.nanoTime() - end < 0) LockSupport.parkNanos(end - System.nanoTime());
      stop.set(true);
      for (var job : jobs) results.add(job.get());
    }
    return results;
  }

  private static Result check(
      int region, int perSecond, IntFunction<RegionProcess> process, AtomicBoolean stop) {
    var admitted = new ArrayList<Interval>();
    var times = new ArrayList<Long>();
    long next = System.nanoTime();
    while (!stop.get() && perSecond > 0) {
      long wait = next - System.nanoTime();
      if (wait > 0) LockSupport.parkNanos(wait);
      next += 1_000_000_000L / perSecond;
      long before = System.nanoTime();
      boolean allowed;
      try {
        allowed = process.apply(region).check();
      } catch (IOException e) {
        LockSupport.parkNanos(10_000_000);
        next = System.nanoTime();
        continue; // the instance is being replaced
      }
      long after = System.nanoTime();
      if (allowed) admitted.add(new Interval(before / 1_000, after / 1_000 + 1));
      times.add((after - before) / 1_000);
    }
    return new Result(admitted, times.stream().sorted().toList());
  }

  /** Returns the admissions of all regions. */
  static List<Interval> merged(List<Result> results) {
    return results.stream().flatMap(result -> result.admitted.stream()).toList();
  }
}
