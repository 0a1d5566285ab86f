package io.headgate.server.trace;

import java.time.Duration;

final class Off implements Tracing {
  @Override
  public boolean isOn() {
    return false;
  }

  @Override
  public Trace request(String method, String route, Parent parent) {
    return Trace.NONE;
  }

  @Override
  public Trace call(String method, Parent parent) {
    return Trace.NONE;
  }

  @Override
  public void close(Duration longest) {}
}
