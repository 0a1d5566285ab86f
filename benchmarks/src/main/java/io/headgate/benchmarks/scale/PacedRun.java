package io.headgate.benchmarks.scale;

import io.headgate.RateLimiter;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends checks at a constant rate whether or not earlier ones are answered, and counts latency from
 * the time at which each was due. A stall of the limiter or of the sender is therefore part of the
 * latency of all checks that were due meanwhile (no coordinated omission).
 */
final class PacedRun {
  /** Bounds the checks in flight. A sender that waits for it is late, which the latency counts. */
  private static final int MAX_IN_FLIGHT = 20_000;

  private static final int PRECISION = 2;
  private static final long TIMEOUT_SECONDS = 30;

  private PacedRun() {}

  /**
   * The measurements.
   *
   * @param rate the rate that was reached, per second
   * @param latencies in nanoseconds
   * @param timedOut the number of checks that the store did not answer in time
   */
  record Result(double rate, ConcurrentHistogram latencies, long timedOut) {
    String micros(double percentile) {
      return String.format(Locale.ROOT, "%,.0f", latencies.getValueAtPercentile(percentile) / 1e3);
    }
  }

  static Result run(RateLimiter limiter, int keys, double rate, Duration time)
      throws InterruptedException, TimeoutException {
    var latencies = new ConcurrentHistogram(PRECISION);
    var free = new Semaphore(MAX_IN_FLIGHT);
    var failure = new AtomicReference<@Nullable Throwable>();
    var timedOut = new LongAdder();
    var random = new SplittableRandom(42);
    long count = (long) (rate * time.toNanos() / 1e9);
    long start = System.nanoTime();
    for (long i = 0; i < count; i++) {
      long due = start + (long) (i * 1e9 / rate);
      for (long wait; (wait = due - System.nanoTime()) > 0; ) LockSupport.parkNanos(wait);
      free.acquire();
      var unused =
          limiter
              .checkForResultAsync(Subject.of("user:" + random.nextInt(keys)))
              .whenComplete((result, problem) -> {
                latencies.recordValue(Math.max(0, System.nanoTime() - due));
                if (problem != null) failure.set(problem);
                else if (result.source() == Source.FALLBACK) timedOut.increment();
                free.release();
              });
    }
    if (!free.tryAcquire(MAX_IN_FLIGHT, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new TimeoutException("checks were not answered within %d s".formatted(TIMEOUT_SECONDS));
    }
    var problem = failure.get();
    if (problem != null) throw new IllegalStateException("a check failed: " + problem, problem);
    return new Result(count * 1e9 / (System.nanoTime() - start), latencies, timedOut.sum());
  }
}
