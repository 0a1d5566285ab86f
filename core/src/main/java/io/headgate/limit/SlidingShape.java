package io.headgate.limit;

/**
 * The parameters of a sliding window that its states depend on, and the layout of their counts. All
 * states of one limit share it.
 *
 * <p>Counts are packed into {@link #WORDS} numbers of 64 bits, in the order of the buckets and with
 * the same number of bits for each: 16 for a window of 10 buckets. A count lies within one word.
 */
final class SlidingShape {
  static final int WORDS = 3;

  /** Keeps the total of all counts below 2^31. */
  private static final int MAX_BITS = 24;

  final int buckets;
  final long width;
  final long permits;
  final int size; // the number of counts
  final int perWord;
  final int bits;
  final long mask; // also the highest count that can be packed; 0 if none can
  final long wordMask;
  final int newestWord;
  final int newestShift;

  /**
   * Creates a shape.
   *
   * @param buckets the number of buckets; a state has one count more
   * @param width the width of a bucket in microseconds
   * @param permits the permits of the limit
   */
  SlidingShape(int buckets, long width, long permits) {
    this.buckets = buckets;
    this.width = width;
    this.permits = permits;
    this.size = buckets + 1;
    this.perWord = (size + WORDS - 1) / WORDS;
    this.bits = Math.min(Long.SIZE / perWord, MAX_BITS);
    this.mask = (1L << bits) - 1;
    this.wordMask = bits * perWord == Long.SIZE ? -1 : (1L << (bits * perWord)) - 1;
    this.newestWord = buckets / perWord;
    this.newestShift = (buckets % perWord) * bits;
  }

  boolean hasSameParameters(SlidingShape other) {
    return this == other
        || (buckets == other.buckets && width == other.width && permits == other.permits);
  }
}
