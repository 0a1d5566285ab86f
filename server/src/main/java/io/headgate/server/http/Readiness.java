package io.headgate.server.http;

import java.util.concurrent.atomic.AtomicBoolean;

/** Whether the service wants more requests. Once it stops it does not start again. */
public final class Readiness {
  private final AtomicBoolean stopping = new AtomicBoolean();

  /** From now on every answer is the last of its connection; false if that was so already. */
  public boolean stop() {
    return stopping.compareAndSet(false, true);
  }

  public boolean isStopping() {
    return stopping.get();
  }
}
