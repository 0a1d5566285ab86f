package io.headgate.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/**
 * A figure measured in several turns.
 *
 * @param median the median of all turns, which one disturbed turn does not change
 * @param spread half the range
 */
public record Measurement(double median, double spread) {
  /** Returns the figure of turns; there must be at least one. */
  public static Measurement of(double... seen) {
    if (seen.length == 0) throw new IllegalArgumentException("nothing was measured");
    var sorted = seen.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Measurement(median, (sorted[sorted.length - 1] - sorted[0]) / 2);
  }

  /** Returns the ratio of this one to the other, as text. */
  public String times(Measurement other) {
    return String.format(Locale.ROOT, "%.2f×", median / other.median);
  }

  @Override
  public String toString() {
    int digits = median < 100 ? 1 : 0;
    return String.format(
        Locale.ROOT, "%,.{0}f ± %,.{0}f".replace("{0}", "" + digits), median, spread);
  }
}
