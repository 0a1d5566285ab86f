package io.headgate.redis;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Some threads that ask at a moderate pace, one thing after the other, until told to stop. */
final class Callers implements AutoCloseable {
  static final int COUNT = 12;

  /** Far less than TCP takes to give up a silent peer. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final long PAUSE_NANOS = Duration.ofMillis(5).toNanos();

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
      threads.add(Thread.ofVirtual().name("caller-" + i).start(() -> ask(caller)));
    }
  }

  private void ask(int caller) {
    for (int turn = caller; !done; turn++) {
      var rule = OutageRules.NAMES.get(turn % OutageRules.NAMES.size());
      var current = phase;
      long start = System.nanoTime();
      try {
        var result =
            limiter.checkForResult(Request.of(Subject.of(OutageRules.subject(rule, caller))));
        current.note(rule, result, System.nanoTime() - start);
        if (result.source() == Source.FALLBACK) lastFallbackAt = start;
      } catch (RuntimeException | Error e) {
        errors.add(e);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** From now on decisions are counted anew; gives the count of those so far. */
  Phase next() {
    var before = phase;
    phase = new Phase();
    return before;
  }

  Phase phase() {
    return phase;
  }

  /** Until so many decisions have been made in this phase. */
  void await(long decisions) {
    var current = phase;
    Eventually.holds(
        decisions + " decisions are made", PATIENCE, () -> current.decisions() >= decisions);
  }

  /** Until nobody has had to do without the store for a while; gives when that began. */
  long awaitStore(Duration steady) {
    Eventually.holds(
        "all decisions are the store's again",
        PATIENCE,
        () -> System.nanoTime() - lastFallbackAt > steady.toNanos());
    return lastFallbackAt;
  }

  /** What was thrown at callers, who are to be told a decision whatever happens. */
  List<Throwable> errors() {
    return List.copyOf(errors);
  }

  /** Returns when the last of them has its answer. */
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
