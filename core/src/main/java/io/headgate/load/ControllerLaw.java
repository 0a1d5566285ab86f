package io.headgate.load;

/**
 * The arithmetic of {@link ConcurrencyController}, on the array of a state. {@code
 * adaptive-controller.lua} computes the same numbers.
 *
 * <p>Samples are collected in windows. At the end of a window the target T moves towards T·B/R + Q,
 * where R is the mean latency of the window, B the estimate of the mean latency without a queue,
 * and Q the queue that is allowed, in proportion to √T. By Little's law T·B/R is the number of
 * calls that are in service rather than waiting, so T settles where Q calls wait.
 *
 * <p>B is measured by probes: windows with a lower limit. If throughput in a probe is that of the
 * windows before, the lower limit becomes the target. Otherwise the probe has left some of the
 * capacity idle, so its latency is that without a queue.
 */
final class ControllerLaw {
  static final int LIMIT = 0;
  private static final int TARGET = 1; // the limit outside probes; 0 before the first sample
  private static final int BASE = 2; // B in microseconds; 0: not measured yet
  private static final int LAST = 3; // the time of the last sample
  private static final int SINCE = 4; // when the window starts; samples before that are ignored
  private static final int COUNT = 5; // successes in the window
  private static final int SUM = 6; // of their durations
  private static final int SQUARES = 7; // of their durations
  private static final int DROPS = 8; // dropped calls in the window
  private static final int DROP_TIME = 9; // the sum of their durations
  private static final int PEAK = 10; // the highest number in flight in the window
  private static final int IN_FLIGHT = 11; // the sum of the numbers in flight at completions
  private static final int COUNTDOWN = 12; // windows until the next probe; negative in a probe
  private static final int INTERVAL = 13; // windows between probes
  private static final int HIGH = 14; // mean number in flight outside probes; 0: unknown
  private static final int HIGH_LATENCY = 15; // mean latency outside probes
  private static final int VARIATION = 16; // squared coefficient of variation; 0: warming up
  private static final int IS_SETTLED = 17; // 0 while the target may double
  private static final int SLOW_WINDOWS = 18; // consecutive windows far above B

  /** Window lengths: the least samples, and samples per unit of the target. */
  private static final double MIN_SAMPLES = 8;

  private static final double MIN_PER_LIMIT = 1.5;
  private static final double MAX_PER_LIMIT = 13;

  /** A window lasts until the standard error of its mean is about this part of 1/√T. */
  private static final double ERROR = 0.5;

  /** Durations above this multiple of B count as this: one pause does not decide a window. */
  private static final double CLIP = 12;

  /** Q is QUEUE·√T, at least MIN_QUEUE. */
  private static final double QUEUE = 1.7;

  private static final double MIN_QUEUE = 2;

  /** The most that latency lowers the target in one window. */
  private static final double MAX_DECREASE = 0.7;

  /** While the latency is below B divided by this, an unsettled target doubles. */
  private static final double UNLOADED = 0.65;

  private static final double FIRST_INTERVAL = 6;
  private static final double MAX_INTERVAL = 60;

  /** A probe that changes B by more than this makes probes frequent again. */
  private static final double MAX_FALL = 0.85;

  private static final double MAX_RISE = 1.15;

  /** A probe lowers the limit by DEPTH/√T. */
  private static final double DEPTH = 2.5;

  /** A target at or below this is not lowered by probes. */
  private static final double SMALL = 3;

  /** Two windows with B/R below this part of its value at rest cause a probe. */
  private static final double SLOW = 0.5;

  private static final double MAX_PAUSE = 60e6; // after which a window starts anew
  private static final double MAX_STEP_BACK = 1e6;
  private static final double MAX_SETTLING = 10e6;

  /** Returns whether a number of a state may be negative. */
  static boolean isSigned(int index) {
    return index == LAST || index == SINCE || index == COUNTDOWN;
  }

  /** Updates the state in place with one measurement. */
  static void complete(ConcurrencyController bounds, double[] s, long now, CallSample sample) {
    add(bounds, s, (double) now, sample);
    double limit = Math.floor(s[COUNTDOWN] < 0 ? s[TARGET] * depth(s[TARGET]) : s[TARGET]);
    s[LIMIT] = Math.max(bounds.min(), Math.min(bounds.max(), limit));
  }

  private static void add(ConcurrencyController bounds, double[] s, double now, CallSample sample) {
    if (s[TARGET] == 0) {
      s[TARGET] = s[LIMIT];
      s[COUNTDOWN] = FIRST_INTERVAL;
      s[INTERVAL] = FIRST_INTERVAL;
    }
    s[TARGET] = Math.max(bounds.min(), Math.min(bounds.max(), s[TARGET]));
    if (now - s[LAST] > MAX_PAUSE || s[LAST] - now > MAX_STEP_BACK) clear(s, now);
    s[LAST] = now;
    if (now < s[SINCE]) return;
    double duration = sample.durationMicros();
    switch (sample.outcome()) {
      case SUCCESS -> {
        if (s[BASE] > 0) duration = Math.min(duration, CLIP * s[BASE]);
        s[COUNT] += 1;
        s[SUM] += duration;
        s[SQUARES] += duration * duration;
      }
      case DROPPED -> {
        s[DROPS] += 1;
        s[DROP_TIME] += duration;
      }
      case ERROR -> {
        return;
      }
    }
    s[PEAK] = Math.max(s[PEAK], sample.inFlight());
    s[IN_FLIGHT] += sample.inFlight();
    if (isComplete(s, now)) close(bounds, s, now);
  }

  private static boolean isComplete(double[] s, double now) {
    double total = s[COUNT] + s[DROPS];
    if (total < MIN_SAMPLES) return false;
    if (s[DROPS] > s[COUNT]) return now - s[SINCE] >= s[BASE];
    if (total < enough(s[TARGET], s[VARIATION], s[IS_SETTLED])) return false;
    return (now - s[SINCE]) * s[COUNT] >= s[SUM]; // at least the mean latency
  }

  /** Does not depend on the samples of the window: else windows of short calls would end early. */
  private static double enough(double target, double variation, double isSettled) {
    if (isSettled == 0) return Math.max(MIN_SAMPLES, target);
    double wanted = Math.min(MAX_PER_LIMIT, variation / (ERROR * ERROR));
    return Math.max(2 * MIN_SAMPLES, Math.max(MIN_PER_LIMIT, wanted) * target);
  }

  private static void clear(double[] s, double since) {
    s[SINCE] = since;
    s[COUNT] = 0;
    s[SUM] = 0;
    s[SQUARES] = 0;
    s[DROPS] = 0;
    s[DROP_TIME] = 0;
    s[PEAK] = 0;
    s[IN_FLIGHT] = 0;
  }

  private static void close(ConcurrencyController bounds, double[] s, double now) {
    double total = s[COUNT] + s[DROPS];
    double mean = Math.min(MAX_SETTLING, (s[SUM] + s[DROP_TIME]) / total);
    if (s[VARIATION] == 0) { // the first completions are those of short calls: discards them
      s[VARIATION] = 1;
      clear(s, now + 2 * mean);
      return;
    }
    if (s[COUNT] > 1 && s[SUM] > 0) {
      double variation = s[SQUARES] * s[COUNT] / (s[SUM] * s[SUM]) - 1;
      s[VARIATION] += 0.2 * (Math.max(0.001, Math.min(CLIP, variation)) - s[VARIATION]);
    }
    double inFlight = s[IN_FLIGHT] / total;
    if (s[DROPS] > 0.1 * total) {
      overloaded(s);
    } else if (s[COUNTDOWN] < 0) {
      probed(s, Math.max(1, s[SUM] / s[COUNT]), inFlight);
    } else {
      follow(s, Math.max(1, s[SUM] / s[COUNT]), inFlight);
    }
    s[TARGET] = Math.max(bounds.min(), Math.min(bounds.max(), s[TARGET]));
    if (s[TARGET] == bounds.max()) s[IS_SETTLED] = 1;
    double limit = s[COUNTDOWN] < 0 ? s[TARGET] * depth(s[TARGET]) : s[TARGET];
    boolean isChanged = Math.abs(limit - s[LIMIT]) > 0.05 * s[LIMIT];
    clear(s, isChanged ? now + mean : now); // calls that began under the old limit must end
  }

  /** Keeps the part of the limit whose time was spent on successful calls. B is unchanged. */
  private static void overloaded(double[] s) {
    double useful = s[SUM] / Math.max(1, s[SUM] + s[DROP_TIME]);
    s[TARGET] = Math.min(s[TARGET], s[PEAK]) * Math.max(0.5, Math.min(0.95, useful));
    s[COUNTDOWN] = s[INTERVAL];
    s[HIGH] = 0;
    s[IS_SETTLED] = useful < 0.5 ? 0 : 1; // recovers fast from an outage
  }

  private static void follow(double[] s, double latency, double inFlight) {
    double target = s[TARGET];
    if (s[BASE] == 0) s[BASE] = latency;
    if (inFlight < 0.5 * target) { // the limit is not used: any latency is that without a queue
      s[BASE] += 0.2 * (latency - s[BASE]);
      s[HIGH] = 0;
      return;
    }
    compare(s, latency, inFlight);
    double ratio = Math.min(1, s[BASE] / latency);
    double queue = Math.max(MIN_QUEUE, QUEUE * Math.sqrt(target));
    double next = Math.max(MAX_DECREASE * target, target * ratio + queue);
    if (s[IS_SETTLED] == 0) {
      if (ratio > UNLOADED) {
        next = Math.max(next, 2 * target);
      } else {
        s[IS_SETTLED] = 1;
        s[COUNTDOWN] = 1;
      }
    }
    if (next < target || s[PEAK] >= 0.9 * s[LIMIT]) s[TARGET] = next;
    if (s[IS_SETTLED] == 0) return;
    boolean isSlow = ratio * s[TARGET] < SLOW * (s[TARGET] - queue);
    s[SLOW_WINDOWS] = isSlow ? s[SLOW_WINDOWS] + 1 : 0;
    s[COUNTDOWN] -= 1;
    if (s[SLOW_WINDOWS] >= 2 || s[COUNTDOWN] <= 0) {
      s[COUNTDOWN] = -1;
      s[SLOW_WINDOWS] = 0;
    }
  }

  /** Evaluates a probe. */
  private static void probed(double[] s, double latency, double inFlight) {
    double target = s[TARGET];
    double base = s[BASE];
    s[COUNTDOWN] = s[INTERVAL];
    if (s[HIGH] <= 1.1 * inFlight) return; // the limit was not used
    double throughput = inFlight * s[HIGH_LATENCY] / (latency * s[HIGH]); // relative to before
    double root = Math.sqrt(target);
    double expected = depth(target) * (1 + QUEUE / root); // if only Q calls wait
    if (target > SMALL && throughput > 1 - 0.5 * (1 - expected)) {
      s[TARGET] = target * depth(target);
      double queued = Math.max(0.85, 1 - 0.7 * QUEUE / Math.sqrt(s[TARGET]));
      s[BASE] = Math.min(base, latency * queued);
      s[HIGH] = inFlight;
      s[HIGH_LATENCY] = latency;
      s[INTERVAL] = FIRST_INTERVAL;
      s[COUNTDOWN] = s[TARGET] > SMALL ? -1 : FIRST_INTERVAL; // probes further
      return;
    }
    if (latency < base) {
      s[BASE] += 0.5 * (latency - base);
    } else {
      raise(s, latency, inFlight, s[HIGH_LATENCY], s[HIGH]);
    }
    boolean isConfirmed = s[BASE] >= MAX_FALL * base && s[BASE] <= MAX_RISE * base;
    s[INTERVAL] = isConfirmed ? Math.min(MAX_INTERVAL, 2 * s[INTERVAL]) : FIRST_INTERVAL;
    s[COUNTDOWN] = s[INTERVAL];
  }

  /** Compares a window with those before. A large change of the number in flight is a probe too. */
  private static void compare(double[] s, double latency, double inFlight) {
    if (latency < s[BASE]) s[BASE] += 0.07 * (latency - s[BASE]);
    double high = s[HIGH];
    if (high > 0 && inFlight * 1.6 < high) {
      raise(s, latency, inFlight, s[HIGH_LATENCY], high);
    } else if (high > 0 && inFlight > 1.6 * high) {
      raise(s, s[HIGH_LATENCY], high, latency, inFlight);
    } else if (high > 0) {
      s[HIGH] += 0.3 * (inFlight - high);
      s[HIGH_LATENCY] += 0.3 * (Math.min(latency, 1.3 * s[HIGH_LATENCY]) - s[HIGH_LATENCY]);
      return;
    }
    s[HIGH] = inFlight;
    s[HIGH_LATENCY] = latency;
  }

  /**
   * Raises B to the latency of the lower number in flight, unless latency grows with the number.
   */
  private static void raise(
      double[] s, double lowLatency, double low, double highLatency, double high) {
    if (lowLatency <= s[BASE]) return;
    double growth = Math.max(0, (highLatency / lowLatency - 1) / (high / low - 1));
    double weight = 0.5 * Math.max(0, 1 - growth / 0.8);
    s[BASE] = Math.min(2 * s[BASE], s[BASE] + weight * (lowLatency - s[BASE]));
  }

  /** Returns the part of the target that is the limit in a probe. */
  private static double depth(double target) {
    return Math.max(0.5, Math.min(0.95, 1 - DEPTH / Math.sqrt(target)));
  }

  private ControllerLaw() {}
}
