package io.headgate.server.counts;

import org.jspecify.annotations.Nullable;

/**
 * Several counts of each bucket of a {@link Resolution}, in a ring buffer of columns. A column
 * needs memory from its first count on: 4 bytes a bucket. Not thread-safe.
 */
public final class BucketRing {
  /** The number of buckets of {@link Resolution#SECONDS}. */
  public static final int SECONDS = 300;

  private final Resolution resolution;
  private final int size;
  private final int[] @Nullable [] columns;
  private long newest; // the number of the bucket since the epoch

  /**
   * @param second a second of the newest bucket
   */
  public BucketRing(Resolution resolution, long second, int columns) {
    this.resolution = resolution;
    this.size = resolution.buckets();
    this.columns = new int[columns][];
    this.newest = resolution.bucket(second);
  }

  /** Returns the first second of the newest bucket. */
  public long newest() {
    return newest * resolution.bucketSeconds();
  }

  /** Returns whether no bucket of this ring is kept at this second. */
  public boolean isExpired(long second) {
    return resolution.bucket(second) - newest >= size;
  }

  /** Advances the ring to this second and clears the buckets it reuses. */
  public void advance(long second) {
    long bucket = resolution.bucket(second);
    if (bucket - newest >= size) newest = bucket - size; // clears all buckets
    while (newest < bucket) {
      int slot = slot(++newest);
      for (var column : columns) {
        if (column != null) column[slot] = 0;
      }
    }
  }

  /**
   * Adds to the bucket of a second, advancing the ring if it is newer. Ignored if the bucket has
   * left the ring.
   */
  public void add(long second, int column, long count) {
    advance(second);
    if (count != 0) addToBucket(resolution.bucket(second), column, count);
  }

  private void addToBucket(long bucket, int column, long count) {
    if (newest - bucket >= size) return;
    var counts = columns[column];
    if (counts == null) {
      counts = new int[size];
      columns[column] = counts;
    }
    counts[slot(bucket)] += (int) count;
  }

  /** Adds the counts of a ring of the same resolution and columns. */
  public void addAll(BucketRing other) {
    advance(other.newest());
    for (int column = 0; column < columns.length; column++) {
      for (long bucket = other.newest - size + 1; bucket <= other.newest; bucket++) {
        long count = other.inBucket(bucket, column);
        if (count != 0) addToBucket(bucket, column, count);
      }
    }
  }

  /** Returns the count of the bucket of a second, or 0 if it is not in the ring. */
  public int at(long second, int column) {
    return inBucket(resolution.bucket(second), column);
  }

  private int inBucket(long bucket, int column) {
    var counts = columns[column];
    return counts == null || bucket > newest || newest - bucket >= size ? 0 : counts[slot(bucket)];
  }

  /** Returns the counts of a column, the oldest bucket first. */
  public int[] series(int column) {
    var series = new int[size];
    var counts = columns[column];
    if (counts == null) return series;
    int oldest = slot(newest + 1);
    System.arraycopy(counts, oldest, series, 0, size - oldest);
    System.arraycopy(counts, 0, series, size - oldest, oldest);
    return series;
  }

  /** Returns the sum of all columns and buckets. */
  public long total() {
    long total = 0;
    for (int slot = 0; slot < size; slot++) total += inSlot(slot);
    return total;
  }

  /** Returns the largest sum of all columns in one bucket. */
  public long peak() {
    long peak = 0;
    for (int slot = 0; slot < size; slot++) peak = Math.max(peak, inSlot(slot));
    return peak;
  }

  /** Returns the memory of the counts in bytes, without the headers of the arrays. */
  long bytes() {
    long bytes = 0;
    for (var column : columns) {
      if (column != null) bytes += (long) size * Integer.BYTES;
    }
    return bytes;
  }

  private long inSlot(int slot) {
    long sum = 0;
    for (var column : columns) {
      if (column != null) sum += column[slot];
    }
    return sum;
  }

  private int slot(long bucket) {
    return (int) Math.floorMod(bucket, (long) size);
  }
}
