package io.headgate.server.http.transport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Does work that makes or reads large texts, such as all rules, on virtual threads and a few at a
 * time: hundreds of requests that wait for their turn take little memory, hundreds of texts take
 * much.
 */
public final class LargeTaskExecutor {
  private static final long HEAP_OF_ONE = 64L << 20;
  private static final int FEWEST = 2;
  private static final int MOST = 16;

  private static final Semaphore TURNS = new Semaphore(atOnce(Runtime.getRuntime().maxMemory()));

  /** Runs what it is given when it is its turn. */
  public static final Executor EXECUTOR = work -> Thread.startVirtualThread(() -> inTurn(work));

  private static int atOnce(long heap) {
    return Math.clamp(heap / HEAP_OF_ONE, FEWEST, MOST);
  }

  private static void inTurn(Runnable work) {
    TURNS.acquireUninterruptibly();
    try {
      work.run();
    } finally {
      TURNS.release();
    }
  }

  public static <T> CompletableFuture<T> supply(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, EXECUTOR);
  }

  private LargeTaskExecutor() {}
}
