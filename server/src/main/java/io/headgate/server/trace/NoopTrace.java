package io.headgate.server.trace;

import io.headgate.CheckResult;
import java.util.List;

/** A trace that records nothing. */
final class NoopTrace implements Trace {
  @Override
  public void storeCallStarted(int plans) {}

  @Override
  public void decided(CheckResult result, boolean waited) {}

  @Override
  public void decided(List<CheckResult> results, boolean waited) {}

  @Override
  public void httpResponded(int status) {}

  @Override
  public void grpcResponded(String status) {}

  @Override
  public void clientDisconnected() {}
}
