package io.headgate.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Polls a condition until it holds or a timeout has passed. */
public final class Eventually {
  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A pause is this part of the time waited so far, since a poll may cost several requests. */
  private static final int PAUSE_SHARE = 20;

  /** A condition to poll. An exception means that it does not hold yet. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Waits until the condition holds.
   *
   * @param what completes the message "not within 5 s: …"
   * @throws AssertionError if it does not hold in time or the thread is interrupted; the cause is
   *     the condition's last exception
   */
  public static void holds(String what, Duration within, Condition condition) {
    long start = System.nanoTime();
    long end = start + within.toNanos();
    while (true) {
      Exception last = null;
      try {
        if (condition.holds()) return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        last = e;
      } catch (Exception e) {
        last = e;
      }
      if (Thread.currentThread().isInterrupted()) throw failure("interrupted before", what, last);
      if (System.nanoTime() - end >= 0) throw failure("not within " + text(within), what, last);
      long waited = System.nanoTime() - start;
      LockSupport.parkNanos(Math.clamp(waited / PAUSE_SHARE, MIN_PAUSE_NANOS, MAX_PAUSE_NANOS));
    }
  }

  private static AssertionError failure(String when, String what, @Nullable Exception last) {
    var why = last == null ? "" : "; the last try failed: " + last.getMessage();
    return new AssertionError(when + ": " + what + why, last);
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1_000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }

  private Eventually() {}
}
