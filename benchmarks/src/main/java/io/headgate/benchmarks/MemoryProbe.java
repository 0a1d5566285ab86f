package io.headgate.benchmarks;

import io.headgate.testkit.LiveHeap;
import java.lang.ref.Reference;
import java.util.Locale;

/** Measures, in a new JVM, the live heap per key in bytes, without the key's text. */
public final class MemoryProbe {
  private MemoryProbe() {}

  /**
   * Prints the bytes per key, a line for each limiter. The arguments are the number of keys and the
   * names of {@link MeasuredLimiter}.
   */
  public static void main(String[] args) {
    int count = Integer.parseInt(args[0]);
    for (int i = 1; i < args.length; i++) {
      System.out.printf(Locale.ROOT, "%.1f%n", measure(MeasuredLimiter.valueOf(args[i]), count));
    }
  }

  private static double measure(MeasuredLimiter kept, int count) {
    // Load classes and fill caches first, since they are not part of the cost of a key.
    kept.fill(keys(1_000, "warm-"));
    var keys = keys(count, "");
    long before = LiveHeap.bytes();
    var filled = kept.fill(keys);
    try {
      return (LiveHeap.bytes() - before) / (double) count;
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
}
