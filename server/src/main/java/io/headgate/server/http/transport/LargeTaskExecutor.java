package io.headgate.server.http.transport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Runs tasks that create or parse large texts, such as all rules, on virtual threads, a few at a
 * time. Hundreds of requests that wait for their turn need little memory; hundreds of such texts
 * need much.
 */
public final class LargeTaskExecutor {
  private static final long HEAP_PER_TASK = 64L << 20;
  private static final int MIN_CONCURRENCY = 2;
  private static final int MAX_CONCURRENCY = 16;

  private static final Semaphore PERMITS =
      new Semaphore(concurrency(Runtime.getRuntime().maxMemory()));

  /** Runs each task on a virtual thread once a permit is available. */
  public static final Executor EXECUTOR =
      task -> Thread.startVirtualThread(() -> runWithPermit(task));

  private static int concurrency(long heap) {
    return Math.clamp(heap / HEAP_PER_TASK, MIN_CONCURRENCY, MAX_CONCURRENCY);
  }

  private static void runWithPermit(Runnable task) {
    PERMITS.acquireUninterruptibly();
    try {
      task.run();
    } finally {
      PERMITS.release();
    }
  }

  /** Runs a task and completes with its result. */
  public static <T> CompletableFuture<T> supply(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, EXECUTOR);
  }

  private LargeTaskExecutor() {}
}
