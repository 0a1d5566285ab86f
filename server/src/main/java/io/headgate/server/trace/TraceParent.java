package io.headgate.server.trace;

import java.util.List;
import java.util.function.Function;

/**
 * The parent of a trace, from the headers of W3C Trace Context. An invalid parent is ignored.
 *
 * @param traceparent the header's value; empty if there is none
 * @param tracestate the header's value; empty if there is none
 */
public record TraceParent(String traceparent, String tracestate) {
  static final String TRACEPARENT = "traceparent";
  static final String TRACESTATE = "tracestate";

  static final TraceParent NONE = new TraceParent("", "");

  /**
   * Combines all headers of a request. Several traceparent headers are invalid and count as none;
   * several tracestate headers are joined, as the specification requires.
   *
   * @param headers returns all values of a header
   */
  public static TraceParent of(Function<String, List<String>> headers) {
    var traceparents = headers.apply(TRACEPARENT);
    if (traceparents.size() != 1) return NONE;
    return new TraceParent(traceparents.getFirst(), String.join(",", headers.apply(TRACESTATE)));
  }
}
