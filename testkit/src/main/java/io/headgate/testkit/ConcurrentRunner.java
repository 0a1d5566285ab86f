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

/** Many threads that do the same thing at the same time. */
public enum ConcurrentRunner {
  PLATFORM(8) {
    @Override
    ExecutorService threads() {
      return Executors.newFixedThreadPool(size());
    }
  },
  VIRTUAL(200) {
    @Override
    ExecutorService threads() {
      return Executors.newVirtualThreadPerTaskExecutor();
    }
  };

  /** Far beyond what any of this takes: who is not done by then waits for somebody else. */
  private static final long STUCK_AFTER_SECONDS = 60;

  private final int size;

  ConcurrentRunner(int size) {
    this.size = size;
  }

  abstract ExecutorService threads();

  public int size() {
    return size;
  }

  /** What one of the crowd does. */
  @FunctionalInterface
  public interface Task {
    /** Gives a number; those of all are added up. */
    long run(int member) throws Exception;
  }

  /** Lets everybody go at once, and gives the sum of what they say. */
  public long sum(Task task) throws Exception {
    var everybodyIsThere = new CountDownLatch(size);
    var executor = threads();
    try {
      var results = new ArrayList<Future<Long>>();
      for (int i = 0; i < size; i++) {
        int member = i;
        Callable<Long> part =
            () -> {
              everybodyIsThere.countDown();
              everybodyIsThere.await();
              return task.run(member);
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
      return result.get(STUCK_AFTER_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("somebody waits for ever", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) throw error;
      throw e;
    }
  }
}
