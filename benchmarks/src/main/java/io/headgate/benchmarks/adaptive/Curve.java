package io.headgate.benchmarks.adaptive;

/** A quantity as a function of the simulated time in seconds. */
interface Curve {
  double at(double seconds);

  static Curve constant(double value) {
    return seconds -> value;
  }

  /** Returns {@code base}, and {@code inside} from one time up to another. */
  static Curve pulse(double base, double from, double to, double inside) {
    return seconds -> seconds >= from && seconds < to ? inside : base;
  }

  /** Moves linearly from one value to another between two times. */
  static Curve ramp(double first, double from, double to, double last) {
    return seconds -> first + (last - first) * Math.clamp((seconds - from) / (to - from), 0, 1);
  }
}
