package io.headgate.server.trace;

import java.time.Duration;

/** Tracing that is turned off: every request has {@link Trace#NONE}. */
final class NoopTracing implements Tracing {
  @Override
  public boolean isOn() {
    return false;
  }

  @Override
  public Trace request(String method, String route, TraceParent parent) {
    return Trace.NONE;
  }

  @Override
  public Trace call(String method, TraceParent parent) {
    return Trace.NONE;
  }

  @Override
  public void close(Duration timeout) {}
}
