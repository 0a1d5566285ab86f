package io.headgate.benchmarks.sizing;

/**
 * The size of a state as a constant part and a part for each unit.
 *
 * @param base the constant part in bytes
 * @param perUnit the bytes of each request, slot or bucket
 */
record LinearFit(double base, double perUnit) {
  /** Returns the line through two measurements. */
  static LinearFit through(int units, double bytes, int moreUnits, double moreBytes) {
    double slope = (moreBytes - bytes) / (moreUnits - units);
    return new LinearFit(bytes - slope * units, slope);
  }
}
