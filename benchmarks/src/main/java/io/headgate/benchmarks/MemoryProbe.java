package io.headgate.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.Locale;

/** Measures, in a new JVM, the live heap per key in bytes, without the key's text. */
public final class MemoryProbe {
  private static final long SETTLED_BYTES = 16 * 1024;
  private static final int MOST_COLLECTIONS = 20;

  private MemoryProbe() {}

  /**
   * Prints the bytes per key; the arguments are a {@link MeasuredLimiter} and the number of keys.
   */
  public static void main(String[] args) {
    System.out.printf(
        Locale.ROOT,
        "%.1f%n",
        measure(MeasuredLimiter.valueOf(args[0]), Integer.parseInt(args[1])));
  }

  static double measure(MeasuredLimiter kept, int count) {
    // Load classes and fill caches first, since they are not part of the cost of a key.
    kept.fill(keys(1_000, "warm-"));
    var keys = keys(count, "");
    long before = used();
    var filled = kept.fill(keys);
    try {
      return (used() - before) / (double) count;
    } finally {
      Reference.reachabilityFence(filled);
      Reference.reachabilityFence(keys);
    }
  }

  private static String[] keys(int count, String prefix) {
    var keys = new String[count];
    for (int i = 0; i < count; i++) keys[i] = "user:" + prefix + i;
    return keys;
  }

  /** Returns the used heap after garbage collection frees no more. */
  private static long used() {
    long last = Long.MAX_VALUE;
    for (int i = 0; i < MOST_COLLECTIONS; i++) {
      System.gc();
      long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      if (Math.abs(last - now) <= SETTLED_BYTES && i >= 3) return now;
      last = now;
    }
    throw new IllegalStateException("the used heap did not stabilize");
  }
}
