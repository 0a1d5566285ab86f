package io.headgate.redis;

import io.headgate.RateLimiter;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Threads that make checks at a moderate rate until they are stopped. */
final class Callers implements AutoCloseable {
  static final int COUNT = 12;

  /** Much less than the time after which TCP gives up a silent peer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

  private final RateLimiter limiter;
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
  private volatile Phase phase = new Phase();
  private volatile long lastFallbackAt = System.nanoTime();
  private volatile boolean done;

  Callers(RateLimiter limiter) {
    this.limiter = limiter;
    for (int i = 0; i < COUNT; i++) {
      int caller = i;
      threads.add(Thread.ofVirtual().name("caller-" + i).start(() -> run(caller)));
    }
  }

  private void run(int caller) {
    for (int turn = caller; !done; turn++) {
      var rule = OutageRules.NAMES.get(turn % OutageRules.NAMES.size());
      var current = phase;
      long start = System.nanoTime();
      try {
        var result = limiter.checkForResult(Subject.of(OutageRules.subject(rule, caller)));
        current.record(rule, result, System.nanoTime() - start);
        if (result.source() == Source.FALLBACK) lastFallbackAt = start;
      } catch (RuntimeException | Error e) {
        errors.add(e);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Starts a new phase; returns the previous one. */
  Phase next() {
    var before = phase;
    phase = new Phase();
    return before;
  }

  Phase phase() {
    return phase;
  }

  /** Waits until this phase has the given number of decisions. */
  void await(long decisions) {
    var current = phase;
    Eventually.holds(
        decisions + " decisions are made", TIMEOUT, () -> current.decisions() >= decisions);
  }

  /** Waits until all decisions were the store's for a while; returns when that period began. */
  long awaitStore(Duration steady) {
    Eventually.holds(
        "all decisions are the store's again",
        TIMEOUT,
        () -> System.nanoTime() - lastFallbackAt > steady.toNanos());
    return lastFallbackAt;
  }

  /** Returns the exceptions thrown to callers, which must receive a decision in any case. */
  List<Throwable> errors() {
    return List.copyOf(errors);
  }

  /** Stops all threads and waits until they have ended. */
  void stop() {
    done = true;
    boolean interrupted = false;
    for (var thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
        thread.interrupt();
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
  }

  @Override
  public void close() {
    stop();
  }
}
