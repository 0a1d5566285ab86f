package io.headgate.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Callers that each ask again as soon as they have an answer. They are chains of callbacks, so the
 * next question is asked by whatever thread brings the answer to the last.
 */
final class Callers implements AutoCloseable {
  static final int COUNT = 64;

  /** What a caller's supplier of keys says when it has asked enough. */
  static final int NO_MORE = -1;

  private static final int ANSWERS_IN_A_ROW = 100;
  private static final int PRECISION = 2;
  private static final int PATIENCE_SECONDS = 60;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());

  /**
   * What they saw.
   *
   * @param latencies in nanoseconds
   */
  public record Seen(long decisions, long passed, Duration took, Histogram latencies) {}

  /**
   * Asks until the time is over or every caller has asked enough; then waits for the last answers.
   *
   * @param keys makes for each caller what chooses its keys
   */
  Seen ask(Remote remote, Supplier<IntSupplier> keys, Duration time)
      throws InterruptedException, TimeoutException {
    long start = System.nanoTime();
    long end = start + time.toNanos();
    var callers = new ArrayList<Caller>();
    for (int i = 0; i < COUNT; i++) callers.add(new Caller(remote, keys.get(), end));
    for (var caller : callers) threads.execute(caller);
    for (var caller : callers) await(caller, time);
    var took = Duration.ofNanos(System.nanoTime() - start);
    var latencies = new Histogram(PRECISION);
    long passed = 0;
    for (var caller : callers) {
      latencies.add(caller.latencies);
      passed += caller.passed;
    }
    return new Seen(latencies.getTotalCount(), passed, took, latencies);
  }

  private static void await(Caller caller, Duration time)
      throws InterruptedException, TimeoutException {
    try {
      caller.done.get(time.toSeconds() + PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a question was not answered: " + e.getCause(), e);
    }
  }

  @Override
  public void close() {
    threads.close();
  }

  /** Its fields are only touched by the thread that has the answer to its one question. */
  private final class Caller implements Runnable {
    final Histogram latencies = new Histogram(PRECISION);
    final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    long passed;
    private final Remote remote;
    private final IntSupplier keys;
    private final long end;

    Caller(Remote remote, IntSupplier keys, long end) {
      this.remote = remote;
      this.keys = keys;
      this.end = end;
    }

    @Override
    public void run() {
      try {
        askOn();
      } catch (RuntimeException | Error e) {
        done.completeExceptionally(e);
      }
    }

    /** Answers that are there at once are taken in a loop, but not so long that others starve. */
    private void askOn() {
      for (int i = 0; i < ANSWERS_IN_A_ROW; i++) {
        long asked = System.nanoTime();
        int key = asked - end >= 0 ? NO_MORE : keys.getAsInt();
        if (key == NO_MORE) {
          done.complete(null);
          return;
        }
        var answer = remote.ask(key).toCompletableFuture();
        if (!answer.isDone()) {
          var unused = answer.whenComplete((passes, problem) -> answered(asked, passes, problem));
          return;
        }
        note(asked, answer.join());
      }
      threads.execute(this);
    }

    private void answered(long asked, Boolean passes, @Nullable Throwable problem) {
      if (problem != null) {
        done.completeExceptionally(problem);
        return;
      }
      note(asked, passes);
      run();
    }

    private void note(long asked, boolean passes) {
      latencies.recordValue(System.nanoTime() - asked);
      if (passes) passed++;
    }
  }
}
