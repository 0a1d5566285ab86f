package io.headgate.server.http;

/** Whether the service wants more requests. Once it stops it does not start again. */
public final class Readiness {
  private volatile boolean stopping;

  /** From now on every answer is the last of its connection. */
  public void stop() {
    stopping = true;
  }

  public boolean isStopping() {
    return stopping;
  }
}
