package io.headgate.server.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests from several threads, each with one request in flight, and measures them.
 *
 * <p>An open loop gives every request a time at which it is due and measures its latency from then
 * on. A closed loop would send less while the service is slow, and would not see the requests that
 * had to wait (coordinated omission).
 */
public final class LoadGenerator {
  private static final long MAX_MICROS = 3_600_000_000L;
  private static final int MAX_FAILURES_IN_A_ROW = 1_000;

  private final LoadSettings settings;
  private final LongFunction<CheckReply> request;
  private final LongAdder decided = new LongAdder();

  /**
   * Creates a generator.
   *
   * @param request sends the request of a number, from 0 on, and returns its reply; called by
   *     several threads. A {@link RuntimeException} counts as a failed request
   */
  public LoadGenerator(LoadSettings settings, LongFunction<CheckReply> request) {
    this.settings = settings;
    this.request = request;
  }

  /** Returns the number of decisions so far; may be called by another thread during the run. */
  public long decided() {
    return decided.sum();
  }

  /**
   * Sends the requests. Ends early if every connection fails many times in a row.
   *
   * @throws InterruptedException if the thread is interrupted; requests in flight are abandoned
   */
  public LoadResult run() throws InterruptedException {
    long start = System.nanoTime();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new ArrayList<Future<Worker>>();
      for (int i = 0; i < settings.connections(); i++) {
        var worker = new Worker(i, start);
        running.add(executor.submit(worker::run, worker));
      }
      var workers = new ArrayList<Worker>();
      try {
        for (var each : running) workers.add(each.get());
      } catch (InterruptedException e) {
        executor.shutdownNow();
        throw e;
      } catch (ExecutionException e) {
        executor.shutdownNow();
        throw new IllegalStateException("a connection of the load ended", e.getCause());
      }
      return sum(System.nanoTime() - start, workers);
    }
  }

  private static LoadResult sum(long nanos, List<Worker> workers) {
    long allowed = 0;
    long denied = 0;
    long failed = 0;
    Map<String, Long> sources = new TreeMap<>();
    Optional<String> firstFailure = Optional.empty();
    var micros = new Histogram(MAX_MICROS, 3);
    for (var worker : workers) {
      allowed += worker.allowed;
      denied += worker.denied;
      failed += worker.failed;
      worker.sources.forEach((source, count) -> sources.merge(source, count, Long::sum));
      if (firstFailure.isEmpty()) firstFailure = Optional.ofNullable(worker.firstFailure);
      micros.add(worker.micros);
    }
    return new LoadResult(nanos, allowed, denied, failed, sources, firstFailure, micros);
  }

  /** One connection. Its figures are read when its thread has ended. */
  private final class Worker {
    private final int index;
    private final long start;
    private final Histogram micros = new Histogram(MAX_MICROS, 3);
    private final Map<String, Long> sources = new TreeMap<>();
    private long allowed;
    private long denied;
    private long failed;
    private @Nullable String firstFailure;

    Worker(int index, long start) {
      this.index = index;
      this.start = start;
    }

    void run() {
      long end = settings.duration().toNanos();
      int failures = 0;
      for (long number = index; ; number += settings.connections()) {
        long due = settings.isOpenLoop() ? dueAt(number) : System.nanoTime() - start;
        if (due >= end || Thread.currentThread().isInterrupted()) return;
        awaitUntil(due);
        failures = send(number, due) ? 0 : failures + 1;
        if (failures == MAX_FAILURES_IN_A_ROW) return;
      }
    }

    private long dueAt(long number) {
      long second = number / settings.perSecond();
      return second * 1_000_000_000
          + number % settings.perSecond() * 1_000_000_000 / settings.perSecond();
    }

    private void awaitUntil(long due) {
      for (long left = due - (System.nanoTime() - start);
          left > 0 && !Thread.currentThread().isInterrupted();
          left = due - (System.nanoTime() - start)) {
        LockSupport.parkNanos(left);
      }
    }

    /** Sends a request; returns whether it was decided. */
    private boolean send(long number, long due) {
      try {
        var reply = request.apply(number);
        long taken = (System.nanoTime() - start - due) / 1_000;
        micros.recordValue(Math.min(MAX_MICROS, Math.max(0, taken)));
        sources.merge(reply.source(), 1L, Long::sum);
        if (reply.allowed()) allowed++;
        else denied++;
        decided.increment();
        return true;
      } catch (RuntimeException e) {
        failed++;
        if (firstFailure == null) firstFailure = String.valueOf(e.getMessage());
        return false;
      }
    }
  }
}
