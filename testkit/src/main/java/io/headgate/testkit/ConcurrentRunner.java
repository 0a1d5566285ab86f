package io.headgate.testkit;

import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a task in many threads at the same time. */
public enum ConcurrentRunner {
  /** Eight platform threads. */
  PLATFORM(8) {
    @Override
    ExecutorService threads() {
      return Executors.newFixedThreadPool(size());
    }
  },
  /** Two hundred virtual threads. */
  VIRTUAL(200) {
    @Override
    ExecutorService threads() {
      return Executors.newVirtualThreadPerTaskExecutor();
    }
  };

  /** Far longer than any task takes: a thread that has not finished by then is deadlocked. */
  private static final long TIMEOUT_SECONDS = 60;

  private final int size;

  ConcurrentRunner(int size) {
    this.size = size;
  }

  abstract ExecutorService threads();

  /** Returns the number of threads. */
  public int size() {
    return size;
  }

  /** The work of one thread. */
  @FunctionalInterface
  public interface Task {
    /**
     * Runs the work.
     *
     * @param index the number of the thread, from 0
     * @return a number that {@link ConcurrentRunner#sum} adds up
     */
    long run(int index) throws Exception;
  }

  /**
   * Starts all threads at the same moment and waits for them.
   *
   * @return the sum of their results
   * @throws AssertionError if a thread does not finish within a minute
   * @throws Exception the first exception of a thread
   */
  public long sum(Task task) throws Exception {
    var ready = new CountDownLatch(size);
    var executor = threads();
    try {
      var results = new ArrayList<Future<Long>>();
      for (int i = 0; i < size; i++) {
        int index = i;
        Callable<Long> part =
            () -> {
              ready.countDown();
              ready.await();
              return task.run(index);
            };
        results.add(executor.submit(part));
      }
      long sum = 0;
      for (var result : results) sum += await(result);
      return sum;
    } finally {
      executor.shutdownNow();
    }
  }

  private static long await(Future<Long> result) throws Exception {
    try {
      return result.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("a thread did not finish within " + TIMEOUT_SECONDS + " s", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) throw error;
      throw e;
    }
  }
}
