package io.headgate.benchmarks.compare;

import java.util.Arrays;

/**
 * The values of one figure at two commits, measured in turns.
 *
 * <p>A figure has moved if every value of one commit is above every value of the other and the
 * medians differ by at least {@link #SMALLEST}. If nothing has changed, five turns each are
 * separated like that by chance once in 126 figures, and three turns once in 10.
 */
final class FigureComparison {
  /** The smallest difference of medians that is reported, as a share of the base. */
  static final double SMALLEST = 0.03;

  private final double[] base;
  private final double[] current;

  /**
   * Creates a comparison of the values of two commits.
   *
   * @throws IllegalArgumentException if a commit has no value
   */
  FigureComparison(double[] base, double[] current) {
    if (base.length == 0 || current.length == 0) {
      throw new IllegalArgumentException("a comparison needs a value of each commit");
    }
    this.base = base.clone();
    this.current = current.clone();
    Arrays.sort(this.base);
    Arrays.sort(this.current);
  }

  boolean hasMoved() {
    boolean separated = base[base.length - 1] < current[0] || current[current.length - 1] < base[0];
    return separated && Math.abs(ratio() - 1) >= SMALLEST;
  }

  /** Returns the median of the current commit as a multiple of that of the base; NaN for 0 to 0. */
  double ratio() {
    return median(current) / median(base);
  }

  double baseMedian() {
    return median(base);
  }

  double currentMedian() {
    return median(current);
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
