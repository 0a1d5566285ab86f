package io.headgate.server.counts;

/**
 * Several counts of each of the last {@value #SECONDS} seconds, in a ring buffer of columns. Not
 * thread-safe.
 */
public final class SecondRing {
  public static final int SECONDS = 300;

  private final int[][] columns;
  private long newest;

  /**
   * @param newest the first second of the ring
   */
  public SecondRing(long newest, int columns) {
    this.columns = new int[columns][SECONDS];
    this.newest = newest;
  }

  public long newest() {
    return newest;
  }

  /** Advances the ring to this second and clears the slots it reuses. */
  public void advance(long second) {
    if (second - newest >= SECONDS) newest = second - SECONDS; // clears all slots
    while (newest < second) {
      int slot = slot(++newest);
      for (var column : columns) column[slot] = 0;
    }
  }

  /**
   * Adds to a second, advancing the ring if it is newer. Ignored if the second has left the ring.
   */
  public void add(long second, int column, long count) {
    advance(second);
    if (newest - second < SECONDS) columns[column][slot(second)] += (int) count;
  }

  /** Returns the count of a second, or 0 if it is not in the ring. */
  public int at(long second, int column) {
    return second > newest || newest - second >= SECONDS ? 0 : columns[column][slot(second)];
  }

  /** Returns the counts of a column, the oldest second first. */
  public int[] series(int column) {
    var counts = new int[SECONDS];
    int oldest = slot(newest + 1);
    System.arraycopy(columns[column], oldest, counts, 0, SECONDS - oldest);
    System.arraycopy(columns[column], 0, counts, SECONDS - oldest, oldest);
    return counts;
  }

  /** Returns the sum of all columns and seconds. */
  public long total() {
    long total = 0;
    for (int slot = 0; slot < SECONDS; slot++) total += inSlot(slot);
    return total;
  }

  /** Returns the largest sum of all columns in one second. */
  public long peak() {
    long peak = 0;
    for (int slot = 0; slot < SECONDS; slot++) peak = Math.max(peak, inSlot(slot));
    return peak;
  }

  private long inSlot(int slot) {
    long sum = 0;
    for (var column : columns) sum += column[slot];
    return sum;
  }

  private static int slot(long second) {
    return (int) Math.floorMod(second, (long) SECONDS);
  }
}
