package io.headgate.server.trace;

import io.headgate.CheckResult;
import java.util.List;

/**
 * The trace of one request. Not thread-safe; ended exactly once, by {@link #httpResponded}, {@link
 * #grpcResponded} or {@link #clientDisconnected}.
 */
public interface Trace {
  /** A trace that records nothing. */
  Trace NONE = new NoopTrace();

  /**
   * Starts the span of a call to a remote store. {@link #decided} ends it, or drops it if the store
   * was not called.
   *
   * @param plans the number of plans in the call
   */
  void storeCallStarted(int plans);

  /**
   * Records the decision of the request.
   *
   * @param waited whether the decision was completed asynchronously
   */
  void decided(CheckResult result, boolean waited);

  /** Records the decisions of a batch of independent checks. */
  void decided(List<CheckResult> results, boolean waited);

  /** Ends the trace with the status of an HTTP response. */
  void httpResponded(int status);

  /**
   * Ends the trace with the status of a gRPC response.
   *
   * @param status the name of the code, such as {@code OK}
   */
  void grpcResponded(String status);

  /** Ends the trace of a request whose client disconnected before the response. */
  void clientDisconnected();
}
