package io.headgate.server.trace;

import java.util.List;

/**
 * What a request says of the trace that it belongs to, as W3C's Trace Context has it. What is not
 * valid counts as nothing.
 */
public record TraceParent(String traceparent, String tracestate) {
  public static final String TRACEPARENT = "traceparent";
  public static final String TRACESTATE = "tracestate";

  static final TraceParent NONE = new TraceParent("", "");

  /**
   * From all headers of these names. Of several parents none is to be believed; several states are
   * one in parts.
   */
  public static TraceParent of(List<String> traceparents, List<String> tracestates) {
    if (traceparents.size() != 1) return NONE;
    return new TraceParent(traceparents.getFirst(), String.join(",", tracestates));
  }
}
