package io.headgate.server.http.transport;

import io.headgate.store.Budget;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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

  private static final String BUDGET = "request_memory_bytes";
  private static final String ADVICE =
      "give the service a larger heap (-Xmx), or find the clients that do not read their responses";

  private static final int HEAP_DIVISOR = 4;
  private static final long STEP = 64 * 1024;

  private final long limit;
  private final long pool;
  private final AtomicLong pooled = new AtomicLong();
  private final AtomicLong heads = new AtomicLong(); // of the pool, without a share
  private final List<Share> shares = new CopyOnWriteArrayList<>();
  private final Budget budget;

  /**
   * @param limit in bytes, at least 2
   */
  MemoryBudget(long limit) {
    if (limit < 2)
      throw new IllegalArgumentException(
          "the memory budget must be at least 2 bytes, got %d".formatted(limit));
    this.limit = limit;
    this.pool = limit / 2;
    this.budget = new Budget(BUDGET, limit, this::reserved, ADVICE);
  }

  /** Returns a budget of a quarter of the heap, or 32 MB if the heap is smaller than 128 MB. */
  public static MemoryBudget ofHeap() {
    return new MemoryBudget(Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR));
  }

  /** Returns the use of this budget and its refusals. */
  public Budget budget() {
    return budget;
  }

  /** Returns the reserved bytes, those of the common pool and of all shares. */
  long reserved() {
    long reserved = heads.get();
    for (var share : shares) reserved += share.reserved.get();
    return reserved;
  }

  /**
   * Reserves bytes of the common pool.
   *
   * @return false, with nothing reserved, if fewer are available
   */
  boolean reserve(long bytes) {
    if (!borrow(bytes)) {
      budget.refuse();
      return false;
    }
    heads.addAndGet(bytes);
    return true;
  }

  /** Releases bytes of the common pool. */
  void release(long bytes) {
    heads.addAndGet(-bytes);
    pooled.addAndGet(-bytes);
  }

  private boolean borrow(long bytes) {
    if (pooled.addAndGet(bytes) <= pool) return true;
    pooled.addAndGet(-bytes);
    return false;
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
    var share = new Share((limit - pool) / eventLoops);
    shares.add(share);
    return share;
  }

  /** The memory of one event loop. Not thread-safe. */
  final class Share {
    private final AtomicLong reserved = new AtomicLong(); // written by one thread
    private long free;
    private long borrowed; // of the common pool

    private Share(long reserved) {
      this.free = reserved;
    }

    boolean reserve(long bytes) {
      if (bytes > free && !borrowMissing(bytes - free)) {
        budget.refuse();
        return false;
      }
      free -= bytes;
      reserved.lazySet(reserved.get() + bytes);
      return true;
    }

    private boolean borrowMissing(long missing) {
      long wanted = borrow(missing + STEP) ? missing + STEP : missing;
      if (wanted == missing && !borrow(missing)) return false;
      borrowed += wanted;
      free += wanted;
      return true;
    }

    void release(long bytes) {
      free += bytes;
      reserved.lazySet(reserved.get() - bytes);
      if (borrowed == 0) return;
      long surplus = Math.min(borrowed, free);
      if (surplus < 2 * STEP && surplus < borrowed) return;
      borrowed -= surplus;
      free -= surplus;
      pooled.addAndGet(-surplus);
    }
  }
}
