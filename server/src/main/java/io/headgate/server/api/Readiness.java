package io.headgate.server.api;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Holds whether the service accepts more requests. Stopping is final. Thread-safe. */
public final class Readiness {
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final EventLoopWatchdog watchdog = new EventLoopWatchdog();

  /** Returns the watchdog of the event loops. */
  public EventLoopWatchdog watchdog() {
    return watchdog;
  }

  /**
   * Registers a listener that runs once, when stopping begins. For work without an end of its own,
   * such as event streams.
   */
  public void onStopping(Runnable listener) {
    listeners.add(listener);
  }

  /**
   * Begins to stop: every response from now on is the last of its connection.
   *
   * @return false if stopping had already begun
   */
  public boolean stop() {
    if (!stopping.compareAndSet(false, true)) return false;
    listeners.forEach(Runnable::run);
    return true;
  }

  /** Returns whether stopping has begun. */
  public boolean isStopping() {
    return stopping.get();
  }
}
