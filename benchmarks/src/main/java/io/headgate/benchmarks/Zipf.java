package io.headgate.benchmarks;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws ranks from a Zipf distribution with exponent 1: rank n is n times rarer than rank 1. */
final class Zipf {
  private final double[] upTo; // cumulative weights

  Zipf(int ranks) {
    upTo = new double[ranks];
    double sum = 0;
    for (int i = 0; i < ranks; i++) {
      sum += 1.0 / (i + 1);
      upTo[i] = sum;
    }
  }

  int[] draw(int count, SplittableRandom random) {
    var drawn = new int[count];
    for (int i = 0; i < count; i++) {
      int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
      drawn[i] = found >= 0 ? found : -found - 1;
    }
    return drawn;
  }
}
