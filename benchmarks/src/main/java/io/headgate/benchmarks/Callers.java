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
 * A fixed number of concurrent callers in a closed loop: each sends its next request when it has
 * the reply to the last. They are chains of callbacks, so the thread that completes a reply sends
 * the next request.
 */
public final class Callers implements AutoCloseable {
  /** The number of callers unless another is given. */
  public static final int COUNT = 64;

  /** Returned by a caller's supplier of keys to end the caller. */
  public static final int NO_MORE = -1;

  private static final int MAX_IMMEDIATE_REPLIES = 100;
  private static final int PRECISION = 2;
  private static final int TIMEOUT_SECONDS = 60;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
  private final int count;

  Callers() {
    this(COUNT);
  }

  /** Creates that many callers. */
  public Callers(int count) {
    this.count = count;
  }

  /**
   * The measurements of one run.
   *
   * @param latencies in nanoseconds
   */
  public record Outcome(long decisions, long passed, Duration took, Histogram latencies) {}

  /**
   * Runs the callers until the time is over or all have ended, and waits for the last replies.
   *
   * @param keys creates the supplier of keys for each caller
   */
  public Outcome run(Remote remote, Supplier<IntSupplier> keys, Duration time)
      throws InterruptedException, TimeoutException {
    long start = System.nanoTime();
    long end = start + time.toNanos();
    var callers = new ArrayList<Caller>();
    for (int i = 0; i < count; i++) callers.add(new Caller(remote, keys.get(), end));
    for (var caller : callers) threads.execute(caller);
    for (var caller : callers) await(caller, time);
    var took = Duration.ofNanos(System.nanoTime() - start);
    var latencies = new Histogram(PRECISION);
    long passed = 0;
    for (var caller : callers) {
      latencies.add(caller.latencies);
      passed += caller.passed;
    }
    return new Outcome(latencies.getTotalCount(), passed, took, latencies);
  }

  private static void await(Caller caller, Duration time)
      throws InterruptedException, TimeoutException {
    try {
      caller.done.get(time.toSeconds() + TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a request failed: " + e.getCause(), e);
    }
  }

  @Override
  public void close() {
    threads.close();
  }

  /** One caller. Only the thread that completes its pending request accesses its fields. */
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
        checkUntilPending();
      } catch (RuntimeException | Error e) {
        done.completeExceptionally(e);
      }
    }

    /** Processes immediate replies in a loop, limited so that other callers do not starve. */
    private void checkUntilPending() {
      for (int i = 0; i < MAX_IMMEDIATE_REPLIES; i++) {
        long sentAt = System.nanoTime();
        int key = sentAt - end >= 0 ? NO_MORE : keys.getAsInt();
        if (key == NO_MORE) {
          done.complete(null);
          return;
        }
        var reply = remote.check(key).toCompletableFuture();
        if (!reply.isDone()) {
          var unused = reply.whenComplete((passes, problem) -> onReply(sentAt, passes, problem));
          return;
        }
        record(sentAt, reply.join());
      }
      threads.execute(this);
    }

    private void onReply(long sentAt, Boolean passes, @Nullable Throwable problem) {
      if (problem != null) {
        done.completeExceptionally(problem);
        return;
      }
      record(sentAt, passes);
      run();
    }

    private void record(long sentAt, boolean passes) {
      latencies.recordValue(System.nanoTime() - sentAt);
      if (passes) passed++;
    }
  }
}
