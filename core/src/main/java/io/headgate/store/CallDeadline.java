package io.headgate.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of one call whose client stops waiting before the store's own deadline. When it has
 * passed, a remote store ends the wait for the requests of this call as it does at its own
 * deadline: failure policies decide, and a late reply is reconciled.
 *
 * <p>The requests of a call are those that a thread submits {@linkplain #within within} it. The
 * owner of the call has the timer, and calls {@link #expire}. A store that decides in the calling
 * thread is not affected. Thread-safe.
 */
public final class CallDeadline {
  private static final ThreadLocal<@Nullable CallDeadline> CURRENT = new ThreadLocal<>();

  private final Duration length;
  private final boolean counted;
  private final List<Runnable> waits = new ArrayList<>(1); // guarded by this
  private boolean expired; // guarded by this

  /**
   * Creates a deadline.
   *
   * @param length the time from now to the deadline
   * @param counted whether a missed deadline is a failure of the store. It is not if a client may
   *     choose any deadline, since the circuit breaker concerns all clients
   */
  public CallDeadline(Duration length, boolean counted) {
    this.length = length;
    this.counted = counted;
  }

  /** Returns the deadline of the call that the current thread submits requests for, if any. */
  public static @Nullable CallDeadline current() {
    return CURRENT.get();
  }

  /** Runs a step of a call. The requests that it submits have the deadline; null for none. */
  public static <T> T within(@Nullable CallDeadline deadline, Supplier<T> step) {
    var outer = CURRENT.get();
    CURRENT.set(deadline);
    try {
      return step.get();
    } finally {
      if (outer == null) CURRENT.remove();
      else CURRENT.set(outer);
    }
  }

  /** Returns a deadline that passes together with this one and is no failure of the store. */
  public CallDeadline uncounted() {
    if (!counted) return this;
    var same = new CallDeadline(length, false);
    onExpiry(same::expire);
    return same;
  }

  /** Returns the time from the begin of the call to its deadline. */
  public Duration length() {
    return length;
  }

  /** Returns whether a missed deadline is a failure of the store. */
  public boolean isCounted() {
    return counted;
  }

  /** Runs a task when the deadline has passed; at once if it has. The task must not block. */
  public void onExpiry(Runnable task) {
    synchronized (this) {
      if (!expired) {
        waits.add(task);
        return;
      }
    }
    task.run();
  }

  /** Ends the waits of this call, because the deadline has passed. */
  public void expire() {
    List<Runnable> tasks;
    synchronized (this) {
      expired = true;
      tasks = List.copyOf(waits);
      waits.clear();
    }
    tasks.forEach(Runnable::run);
  }
}
