package io.headgate.client;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Runs the tasks of the HTTP client on a pool, except those of a caller that is about to block
 * anyway: its request is written by its own thread. Each hand-over to another thread adds to the
 * latency of a check. Thread-safe.
 */
final class CallerRunsExecutor implements Executor, AutoCloseable {
  private final ExecutorService pool =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("headgate-client-", 0).factory());

  private final ThreadLocal<Boolean> blocking = ThreadLocal.withInitial(() -> false);

  /** Runs an action. Tasks that its thread submits meanwhile run on that thread. */
  <T> T blocking(Supplier<T> action) {
    if (blocking.get()) return action.get();
    blocking.set(true);
    try {
      return action.get();
    } finally {
      blocking.remove();
    }
  }

  @Override
  public void execute(Runnable task) {
    if (blocking.get()) task.run();
    else pool.execute(task);
  }

  /** Lets the threads end after their tasks. */
  @Override
  public void close() {
    pool.shutdown();
  }
}
