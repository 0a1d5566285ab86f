package io.headgate.server.api;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Whether the service wants more requests. Once it stops it does not start again. */
public final class Readiness {
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final List<Runnable> told = new CopyOnWriteArrayList<>();
  private final EventLoopWatchdog watchdog = new EventLoopWatchdog();

  /** Whether the event loops are alive. */
  public EventLoopWatchdog watchdog() {
    return watchdog;
  }

  /** Is run once, when it begins to stop: for what would go on for ever. */
  public void whenStopping(Runnable then) {
    told.add(then);
  }

  /** From now on every answer is the last of its connection; false if that was so already. */
  public boolean stop() {
    if (!stopping.compareAndSet(false, true)) return false;
    told.forEach(Runnable::run);
    return true;
  }

  public boolean isStopping() {
    return stopping.get();
  }
}
