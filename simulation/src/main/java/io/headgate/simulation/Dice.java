package io.headgate.simulation;

/**
 * A random generator (SplitMix64) whose state is derived from the seed and the purpose, and not
 * from the number of values drawn before. Removing events from a history therefore keeps the delays
 * of all others. Not thread-safe.
 */
final class Dice {
  private long state;

  private Dice(long state) {
    this.state = state;
  }

  /** Creates a generator for a seed and the numbers that identify its purpose. */
  static Dice of(long... purpose) {
    long state = 0x9E3779B97F4A7C15L;
    for (long part : purpose) state = mix(state + part * 0xBF58476D1CE4E5B9L + 0x94D049BB133111EBL);
    return new Dice(state);
  }

  /** Returns a number from 0 to {@code bound - 1}. */
  long below(long bound) {
    state += 0x9E3779B97F4A7C15L;
    return (mix(state) >>> 1) % bound;
  }

  /** Returns a number from {@code low} to {@code high}, both included. */
  long between(long low, long high) {
    return low + below(high - low + 1);
  }

  int index(int bound) {
    return (int) below(bound);
  }

  /** Returns true with probability 1/{@code n}. */
  boolean oneIn(long n) {
    return below(n) == 0;
  }

  /** Returns true with a probability in thousandths. */
  boolean permille(long share) {
    return below(1_000) < share;
  }

  /** Returns one of the choices, all equally likely. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  final <T> T any(T... choices) {
    return choices[index(choices.length)];
  }

  /** Returns a number from {@code low} to {@code high}, uniform on a logarithmic scale. */
  long scale(long low, long high) {
    return Math.round(low * Math.pow((double) high / low, below(10_001) / 10_000.0));
  }

  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
