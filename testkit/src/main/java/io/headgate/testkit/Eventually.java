package io.headgate.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Waits for what happens elsewhere: asks again and again until it holds, or the time is up. */
public final class Eventually {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Something that may not hold yet; throwing means that too. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Returns as soon as the condition holds.
   *
   * @param what completes the sentence "not within 5 s: …" when it never does
   */
  public static void holds(String what, Duration within, Condition condition) {
    long end = System.nanoTime() + within.toNanos();
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
      LockSupport.parkNanos(PAUSE_NANOS);
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
