package io.headgate.benchmarks;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Ranks drawn by Zipf's law with exponent 1: the second comes half as often as the first. */
final class Zipf {
  private final double[] upTo; // the weights of all ranks up to this one

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
