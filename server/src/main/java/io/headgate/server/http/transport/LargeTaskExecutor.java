package io.headgate.server.http.transport;

import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.store.Budget;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks that create or parse large texts, such as all rules, on virtual threads, a few at a
 * time. Tasks that wait for their turn need little memory, large texts need much. A task has its
 * turn until its result has been delivered to the event loop that started it. The number of waiting
 * tasks is bounded as well: a client that resets its HTTP/2 streams may start any number of
 * requests, and their tasks are not cancelled. Thread-safe.
 */
public final class LargeTaskExecutor {
  /** Heap for each task that may wait. It keeps its request, which takes about 20 kB. */
  private static final long HEAP_PER_WAITING_TASK = 1L << 20;

  private static final int MIN_WAITING = 100;
  private static final int MAX_WAITING = 1_000;

  private static final long HEAP_PER_TASK = 64L << 20;
  private static final int MIN_CONCURRENCY = 2;
  private static final int MAX_CONCURRENCY = 16;

  /** The number of tasks that may run at once, or have a result that is not delivered. */
  static final int CONCURRENCY =
      Math.clamp(
          Runtime.getRuntime().maxMemory() / HEAP_PER_TASK, MIN_CONCURRENCY, MAX_CONCURRENCY);

  private static final Semaphore PERMITS = new Semaphore(CONCURRENCY);

  /** The number of tasks that may wait or run at once. */
  static final int MAX_TASKS =
      Math.clamp(
          Runtime.getRuntime().maxMemory() / HEAP_PER_WAITING_TASK, MIN_WAITING, MAX_WAITING);

  private static final Budget PLACES =
      new Budget("large_tasks", MAX_TASKS, "give the service a larger heap (-Xmx) or more CPU");

  /** Returns the use of the places and their refusals. */
  public static Budget budget() {
    return PLACES;
  }

  /**
   * Runs a task and completes with its result.
   *
   * @throws ProblemException with status 503 if too many tasks are waiting
   */
  public static <T> CompletableFuture<T> supply(Supplier<T> task) {
    if (!PLACES.tryTake()) {
      throw new ProblemException(
          ProblemDocument.of(
                  503,
                  "%d requests for long responses are in progress, which is the maximum; try again in a second"
                      .formatted(MAX_TASKS))
              .with("Retry-After", "1"));
    }
    var result = new CompletableFuture<T>();
    var caller = Vertx.currentContext();
    boolean started = false;
    try {
      Thread.startVirtualThread(() -> {
        PERMITS.acquireUninterruptibly();
        run(task, result);
        releaseAfterDelivery(caller);
      });
      started = true;
    } finally {
      if (!started) PLACES.giveBack(1); // there is no memory for a thread
    }
    return result;
  }

  private static <T> void run(Supplier<T> task, CompletableFuture<T> result) {
    try {
      result.complete(task.get());
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  /**
   * Releases the permit and the place of a task once the event loop that started it has received
   * the result. An event loop that is busy with other requests would otherwise accumulate results.
   * The completion of the result has added its delivery to the tasks of the event loop, so a later
   * task of the event loop runs after it.
   */
  private static void releaseAfterDelivery(@Nullable Context caller) {
    try {
      if (caller == null) release();
      else caller.runOnContext(delivered -> release());
    } catch (RejectedExecutionException stopped) {
      release();
    }
  }

  private static void release() {
    PERMITS.release();
    PLACES.giveBack(1);
  }

  private LargeTaskExecutor() {}
}
