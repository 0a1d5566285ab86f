package io.headgate.server.http.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the memory that slow clients make this process hold: unfinished heads and bodies of
 * requests, open HTTP/2 streams, and answers that are not sent yet.
 *
 * <p>Half of the budget is reserved for the event loops in equal parts, so that clients of one
 * event loop can't use up the share of another one. The other half is a common pool. Thread-safe; a
 * {@link Share} belongs to one event loop.
 */
public final class MemoryBudget {
  /** Must hold the longest body, which is counted twice, besides some others. */
  static final long SMALLEST = 32L << 20;

  private static final int PART_OF_HEAP = 4;
  private static final long STEP = 64 * 1024;

  private final long limit;
  private final long pool;
  private final AtomicLong pooled = new AtomicLong();

  /**
   * @param limit in bytes, at least 2
   */
  MemoryBudget(long limit) {
    if (limit < 2) throw new IllegalArgumentException("a budget of %d bytes".formatted(limit));
    this.limit = limit;
    this.pool = limit / 2;
  }

  /** A quarter of the heap, or 32 MB where the heap is smaller than 128 MB. */
  public static MemoryBudget ofHeap() {
    return new MemoryBudget(Math.max(SMALLEST, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
  }

  /** Takes bytes of the common pool; false, and nothing is taken, if it has not as many. */
  boolean take(long bytes) {
    if (pooled.addAndGet(bytes) <= pool) return true;
    pooled.addAndGet(-bytes);
    return false;
  }

  void giveBack(long bytes) {
    pooled.addAndGet(-bytes);
  }

  /** How many bytes of the common pool are taken. */
  long pooled() {
    return pooled.get();
  }

  /**
   * The part of one event loop.
   *
   * @param eventLoops how many there are
   */
  Share share(int eventLoops) {
    return new Share((limit - pool) / eventLoops);
  }

  /** What one event loop may hold. Not thread-safe. */
  final class Share {
    private long free;
    private long borrowed; // of the common pool

    private Share(long reserved) {
      this.free = reserved;
    }

    boolean take(long bytes) {
      if (bytes > free && !borrow(bytes - free)) return false;
      free -= bytes;
      return true;
    }

    private boolean borrow(long missing) {
      long wanted = MemoryBudget.this.take(missing + STEP) ? missing + STEP : missing;
      if (wanted == missing && !MemoryBudget.this.take(missing)) return false;
      borrowed += wanted;
      free += wanted;
      return true;
    }

    void giveBack(long bytes) {
      free += bytes;
      if (borrowed == 0) return;
      long surplus = Math.min(borrowed, free);
      if (surplus < 2 * STEP && surplus < borrowed) return;
      borrowed -= surplus;
      free -= surplus;
      MemoryBudget.this.giveBack(surplus);
    }
  }
}
