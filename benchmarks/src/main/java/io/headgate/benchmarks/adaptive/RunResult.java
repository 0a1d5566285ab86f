package io.headgate.benchmarks.adaptive;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * The figures of a run, without its warm-up.
 *
 * @param goodput the requests answered in time, as a share of those that the plant could answer
 * @param p99 the 99th percentile of the time of admitted requests in seconds; a request that the
 *     client abandoned counts with its timeout
 * @param fairness Jain's index of the requests answered per tenant, relative to max-min shares
 * @param criticalRefused the share of the requests of the first priority that were refused
 * @param inverted the share of the requests of the first priority that were refused within 0.1 s
 *     after a request of a lower one was admitted
 * @param settleSeconds the time from the start or the disturbance until the goodput of three
 *     seconds first reaches 95% of the possible; infinite if it does not
 * @param overshoot the highest number in flight over a second after that time, relative to the
 *     median of the last third of the run, minus 1
 * @param oscillation the standard deviation of the number in flight in the last third, relative to
 *     its mean
 * @param inFlight the number in flight, every 10 ms
 */
@SuppressWarnings("ArrayRecordComponent")
record RunResult(
    double goodput,
    double p99,
    double fairness,
    double criticalRefused,
    double inverted,
    double settleSeconds,
    double overshoot,
    double oscillation,
    double[] inFlight) {
  private static final int SPAN = 3; // seconds of goodput that must reach the aim

  static RunResult of(
      Plant plant,
      Histogram durations,
      double[] good,
      double[] inFlight,
      long[] goodByTenant,
      long[] arrivedByTenant,
      double criticalRefused,
      double inverted) {
    int seconds = (int) plant.seconds();
    var possible = new double[seconds];
    for (int s = 0; s < seconds; s++) {
      for (double at = s + 0.05; at < s + 1; at += 0.1) {
        possible[s] += Math.min(plant.capacity(at), plant.offered(at)) / 10;
      }
    }
    int from = (int) plant.warmUp();
    int last = inFlight.length * 2 / 3;
    var tail = Arrays.copyOfRange(inFlight, last, inFlight.length - 1);
    return new RunResult(
        sum(good, from, seconds) / sum(possible, from, seconds),
        durations.getValueAtPercentile(99) / 1e6,
        jain(possible, from, goodByTenant, arrivedByTenant),
        criticalRefused,
        inverted,
        settle(plant, good, possible),
        overshoot(inFlight, (int) (Math.max(plant.disturbedAt(), plant.warmUp()) * 100), tail),
        deviation(tail) / mean(tail),
        inFlight);
  }

  private static double settle(Plant plant, double[] good, double[] possible) {
    int start = (int) plant.disturbedAt();
    for (int s = start; s + SPAN <= possible.length; s++) {
      double could = sum(possible, s, s + SPAN);
      if (could > 0 && sum(good, s, s + SPAN) >= 0.95 * could) return s - start;
    }
    return Double.POSITIVE_INFINITY;
  }

  private static double overshoot(double[] inFlight, int from, double[] tail) {
    double highest = 0;
    for (int i = from; i + 100 < inFlight.length; i += 10) {
      highest = Math.max(highest, sum(inFlight, i, i + 100) / 100);
    }
    var sorted = tail.clone();
    Arrays.sort(sorted);
    return highest / Math.max(1, sorted[sorted.length / 2]) - 1;
  }

  /** Divides the possible goodput by max-min fairness and compares each tenant with its part. */
  private static double jain(double[] possible, int from, long[] good, long[] arrived) {
    double left = sum(possible, from, possible.length);
    var fair = new double[good.length];
    var open = new boolean[good.length];
    Arrays.fill(open, true);
    int count = good.length;
    for (boolean isChanged = true; isChanged && count > 0; ) {
      isChanged = false;
      double part = left / count;
      for (int i = 0; i < fair.length; i++) {
        if (open[i] && arrived[i] <= part) {
          fair[i] = arrived[i];
          left -= arrived[i];
          open[i] = false;
          count--;
          isChanged = true;
        }
      }
    }
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < fair.length; i++) {
      double share = good[i] / Math.max(1, open[i] ? left / count : fair[i]);
      sum += share;
      squares += share * share;
    }
    return squares == 0 ? 0 : sum * sum / (fair.length * squares);
  }

  private static double sum(double[] values, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) sum += values[i];
    return sum;
  }

  private static double mean(double[] values) {
    return Math.max(1e-9, sum(values, 0, values.length) / values.length);
  }

  private static double deviation(double[] values) {
    double mean = mean(values);
    double sum = 0;
    for (double value : values) sum += (value - mean) * (value - mean);
    return Math.sqrt(sum / values.length);
  }
}
