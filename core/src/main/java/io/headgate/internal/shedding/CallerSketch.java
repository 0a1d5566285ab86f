package io.headgate.internal.shedding;

/**
 * Finds heavy callers: a count-min sketch (Cormode and Muthukrishnan, 2005) of two rows, halved
 * every ten seconds. A caller is heavy if it has at least {@value #MIN_COUNT} recent requests and
 * half as many again as the mean of a cell in use.
 *
 * <p>Threads increment without synchronization. A lost increment makes a count slightly low.
 */
final class CallerSketch {
  private static final int CELLS = 1024;
  private static final int MIN_COUNT = 32;
  private static final long HALVING_INTERVAL = 10_000_000;

  private final int[] first = new int[CELLS];
  private final int[] second = new int[CELLS];
  private volatile int threshold = Integer.MAX_VALUE;
  private long halvedAt;

  /** Counts a request of a caller. */
  void add(long caller) {
    first[index(caller)]++;
    second[index(caller >>> 20)]++;
  }

  boolean isHeavy(long caller) {
    return Math.min(first[index(caller)], second[index(caller >>> 20)]) >= threshold;
  }

  /** Recomputes from which count on a caller is heavy. Called by one thread at a time. */
  void refresh(long now) {
    if (halvedAt == 0 || now < halvedAt) halvedAt = now;
    boolean halve = now - halvedAt >= HALVING_INTERVAL;
    if (halve) halvedAt = now;
    long total = 0;
    int used = 0;
    for (int i = 0; i < CELLS; i++) {
      if (halve) {
        first[i] >>= 1;
        second[i] >>= 1;
      }
      total += first[i];
      if (first[i] > 0) used++;
    }
    threshold =
        used == 0
            ? Integer.MAX_VALUE
            : Math.clamp(total * 3 / (2L * used), MIN_COUNT, Integer.MAX_VALUE);
  }

  private static int index(long hash) {
    return (int) hash & CELLS - 1;
  }
}
