package io.headgate.server.http.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the memory that slow clients can make this process hold: incomplete heads and bodies of
 * requests, open HTTP/2 streams, and responses that are not sent yet.
 *
 * <p>Half of the budget is reserved for the event loops in equal shares, so that the clients of one
 * event loop can't exhaust the share of another. The other half is a common pool. Thread-safe,
 * except that a {@link Share} is confined to one event loop.
 */
public final class MemoryBudget {
  /** The minimum budget: it must hold the longest body, which is counted twice, and some others. */
  static final long MIN_BYTES = 32L << 20;

  private static final int HEAP_DIVISOR = 4;
  private static final long STEP = 64 * 1024;

  private final long limit;
  private final long pool;
  private final AtomicLong pooled = new AtomicLong();

  /**
   * @param limit in bytes, at least 2
   */
  MemoryBudget(long limit) {
    if (limit < 2)
      throw new IllegalArgumentException(
          "the memory budget must be at least 2 bytes, got %d".formatted(limit));
    this.limit = limit;
    this.pool = limit / 2;
  }

  /** Returns a budget of a quarter of the heap, or 32 MB if the heap is smaller than 128 MB. */
  public static MemoryBudget ofHeap() {
    return new MemoryBudget(Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR));
  }

  /**
   * Reserves bytes of the common pool.
   *
   * @return false, with nothing reserved, if fewer are available
   */
  boolean reserve(long bytes) {
    if (pooled.addAndGet(bytes) <= pool) return true;
    pooled.addAndGet(-bytes);
    return false;
  }

  /** Releases bytes of the common pool. */
  void release(long bytes) {
    pooled.addAndGet(-bytes);
  }

  /** Returns the reserved bytes of the common pool. */
  long pooled() {
    return pooled.get();
  }

  /**
   * Returns the share of one event loop.
   *
   * @param eventLoops the number of event loops
   */
  Share share(int eventLoops) {
    return new Share((limit - pool) / eventLoops);
  }

  /** The memory of one event loop. Not thread-safe. */
  final class Share {
    private long free;
    private long borrowed; // of the common pool

    private Share(long reserved) {
      this.free = reserved;
    }

    boolean reserve(long bytes) {
      if (bytes > free && !borrow(bytes - free)) return false;
      free -= bytes;
      return true;
    }

    private boolean borrow(long missing) {
      long wanted = MemoryBudget.this.reserve(missing + STEP) ? missing + STEP : missing;
      if (wanted == missing && !MemoryBudget.this.reserve(missing)) return false;
      borrowed += wanted;
      free += wanted;
      return true;
    }

    void release(long bytes) {
      free += bytes;
      if (borrowed == 0) return;
      long surplus = Math.min(borrowed, free);
      if (surplus < 2 * STEP && surplus < borrowed) return;
      borrowed -= surplus;
      free -= surplus;
      MemoryBudget.this.release(surplus);
    }
  }
}
