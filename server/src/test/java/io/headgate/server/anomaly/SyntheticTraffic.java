package io.headgate.server.anomaly;

import io.headgate.server.callers.BusyCaller;
import io.headgate.server.callers.TopCallers;
import io.headgate.server.counts.CheckCounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Synthetic traffic of several days, generated from a seed: daily seasonality with a sharp rise in
 * the morning, autocorrelated noise, random arrivals, three rules, some callers, and injected
 * faults.
 */
final class SyntheticTraffic {
  static final int STEP = Baseline.STEP_SECONDS;
  static final long DAY = 24 * 3_600;
  private static final long START = 1_788_998_400L; // midnight, UTC, of a Thursday
  private static final String[] RULES = {"users", "login", "search"};
  private static final double[] SHARES = {0.6, 0.1, 0.3};
  private static final double[] DENIED = {0.02, 0.1, 0.0};
  private static final int CALLERS = 8;

  /** Kinds of injected faults. */
  enum Fault {
    SPIKE("5 times the usual rate for 2 minutes", 120),
    STEP("3 times the usual rate for an hour", 3_600),
    RAMP("rising rate, 4 times the usual after an hour", 3_600),
    DROP("nine of ten requests are missing for 10 minutes", 600),
    DENIALS("a rule denies 30% for 10 minutes, usually 2%", 600),
    BUSY_CALLER("one caller sends 20 times its usual rate for 5 minutes", 300),
    NEW_CALLER("a new caller sends 30% of all requests for 5 minutes", 300);

    final String text;
    final int seconds;

    Fault(String text, int seconds) {
      this.text = text;
      this.seconds = seconds;
    }
  }

  /** A fault and its time. */
  record Injected(Fault fault, long from) {
    long to() {
      return from + fault.seconds;
    }
  }

  private final Random random;
  private final int days;
  private final boolean weekends;
  private final double base;
  private final List<Injected> faults = new ArrayList<>();
  private double drift;
  private int newCallers;

  /**
   * @param weekends whether Saturdays and Sundays are quieter by half
   * @param quietDays days at the start without faults
   */
  SyntheticTraffic(long seed, int days, int quietDays, boolean weekends, double base) {
    this.random = new Random(seed);
    this.days = days;
    this.weekends = weekends;
    this.base = base;
    long at = START + quietDays * DAY;
    for (int i = 0; ; i++) {
      at += 3 * 3_600 + random.nextInt(2 * 3_600);
      if (at > START + days * DAY - 3 * 3_600) break;
      faults.add(new Injected(Fault.values()[i % Fault.values().length], at - at % STEP));
    }
  }

  long start() {
    return START;
  }

  int days() {
    return days;
  }

  List<Injected> faults() {
    return faults;
  }

  /** Returns the input of the detector for the {@link #STEP} seconds that begin at this one. */
  DetectorInput at(long second) {
    double factor = 1;
    double share = -1;
    double busy = 1;
    double newCallerShare = 0;
    for (var injected : faults) {
      if (second < injected.from || second >= injected.to()) continue;
      double passed = (double) (second - injected.from) / injected.fault.seconds;
      switch (injected.fault) {
        case SPIKE -> factor = 5;
        case STEP -> factor = 3;
        case RAMP -> factor = 1 + 3 * passed;
        case DROP -> factor = 0.1;
        case DENIALS -> share = 0.3;
        case BUSY_CALLER -> busy = 20;
        case NEW_CALLER -> newCallerShare = 0.3;
      }
      if (second == injected.from && newCallerShare > 0) newCallers++;
    }
    double usual = usual(second);
    double rate = usual * factor;
    double caller = 0.02 * usual;
    double more = caller * (busy - 1) + rate * newCallerShare / (1 - newCallerShare);
    long end = second + STEP - 1;
    return new DetectorInput(
        end,
        sum(rules(rate, more, share)),
        last,
        callers(second, caller, busy, rate + more, newCallerShare));
  }

  private Map<String, CheckCounts> last = Map.of();

  private Map<String, CheckCounts> rules(double rate, double more, double share) {
    last = new HashMap<>();
    for (int i = 0; i < RULES.length; i++) {
      double mean = (rate * SHARES[i] + (i == 0 ? more : 0)) * STEP;
      long all = poisson(mean);
      double denied = i == 0 && share >= 0 ? share : DENIED[i];
      long deniedCount = Math.min(all, poisson(all * denied));
      last.put(RULES[i], new CheckCounts(all, all - deniedCount, deniedCount, 0, 0, 0, 0));
    }
    return last;
  }

  private static CheckCounts sum(Map<String, CheckCounts> rules) {
    return rules.values().stream().reduce(CheckCounts.NONE, CheckCounts::plus);
  }

  private List<BusyCaller> callers(
      long second, double each, double busy, double all, double newCallerShare) {
    var list = new ArrayList<BusyCaller>();
    if (newCallerShare > 0) {
      double rate = poisson(all * newCallerShare * STEP) / (double) STEP;
      list.add(new BusyCaller("new-" + newCallers, rate, sinceOf(second)));
    }
    for (int i = 0; i < CALLERS; i++) {
      double rate = poisson(each * (i == 0 ? busy : 1) * STEP) / (double) STEP;
      if (rate >= TopCallers.MIN_BUSY_RATE) list.add(new BusyCaller("user:" + i, rate, START));
    }
    return list;
  }

  private long sinceOf(long second) {
    for (var injected : faults) {
      if (second >= injected.from && second < injected.to()) return injected.from;
    }
    throw new IllegalStateException("no new caller without a fault");
  }

  private double usual(long second) {
    drift = 0.98 * drift + 0.015 * random.nextGaussian(); // correlated over some minutes
    double hour = Math.floorMod(second, DAY) / 3_600.0;
    double seasonality = 0.7 * StrictMath.sin((hour - 8) / 24 * 2 * Math.PI);
    double morning = hour < 9 ? 0 : hour > 18 ? 0 : Math.min(0.5, (hour - 9) * 1.5);
    double evening = hour > 18 && hour < 18.4 ? 0.5 * (1 - (hour - 18) / 0.4) : 0;
    long day = Math.floorDiv(second, DAY);
    boolean weekend = weekends && (day % 7 == 2 || day % 7 == 3); // 1970 began on a Thursday
    double noise = drift + 0.04 * random.nextGaussian();
    return base
        * StrictMath.exp(
            seasonality + morning + evening + noise + (weekend ? StrictMath.log(0.5) : 0));
  }

  private long poisson(double mean) {
    if (mean > 20)
      return Math.max(0, Math.round(mean + StrictMath.sqrt(mean) * random.nextGaussian()));
    double limit = StrictMath.exp(-mean);
    long count = 0;
    for (double p = random.nextDouble(); p > limit; p *= random.nextDouble()) count++;
    return count;
  }
}
