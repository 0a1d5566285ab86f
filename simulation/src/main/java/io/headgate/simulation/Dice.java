package io.headgate.simulation;

/**
 * Random numbers that depend on the seed and on what they are for, and not on how many were drawn
 * before: a history with some events left out keeps the delays of all others.
 */
final class Dice {
  private long state;

  private Dice(long state) {
    this.state = state;
  }

  static Dice of(long... what) {
    long state = 0x9E3779B97F4A7C15L;
    for (long part : what) state = mix(state + part * 0xBF58476D1CE4E5B9L + 0x94D049BB133111EBL);
    return new Dice(state);
  }

  /** A number from 0 to {@code bound - 1}. */
  long below(long bound) {
    state += 0x9E3779B97F4A7C15L;
    return (mix(state) >>> 1) % bound;
  }

  /** A number from {@code low} to {@code high}, both included. */
  long between(long low, long high) {
    return low + below(high - low + 1);
  }

  int index(int bound) {
    return (int) below(bound);
  }

  /** True one time in {@code n}. */
  boolean oneIn(long n) {
    return below(n) == 0;
  }

  boolean permille(long share) {
    return below(1_000) < share;
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  final <T> T any(T... choices) {
    return choices[index(choices.length)];
  }

  /**
   * The numbers in {@code low..high} that differ by a factor, each factor as likely as any other.
   */
  long scale(long low, long high) {
    return Math.round(low * Math.pow((double) high / low, below(10_001) / 10_000.0));
  }

  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
