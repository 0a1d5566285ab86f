package io.headgate.server.trace;

import java.time.Duration;
import java.util.Optional;

/** Starts traces. Thread-safe; shared by all event loops. */
public interface Tracing {
  /** Tracing that is turned off. */
  Tracing OFF = new NoopTracing();

  /**
   * Creates tracing with the given settings, or returns {@link #OFF} if there are none.
   *
   * @param instance the identifier of this process, a resource attribute of the spans
   */
  static Tracing of(Optional<TraceSettings> settings, String instance) {
    return settings.<Tracing>map(given -> OtlpTracing.to(given, instance)).orElse(OFF);
  }

  /** Returns whether traces are recorded; checked before the arguments of a trace are computed. */
  boolean isOn();

  /**
   * Starts the trace of an HTTP request.
   *
   * @param route the path template of the API, not the requested path
   */
  Trace request(String method, String route, TraceParent parent);

  /**
   * Starts the trace of a gRPC call.
   *
   * @param method the full method name, such as {@code grpc.health.v1.Health/Check}
   */
  Trace call(String method, TraceParent parent);

  /**
   * Exports the recorded spans and stops.
   *
   * @param timeout the maximum time to wait; spans that are not exported by then are lost
   */
  void close(Duration timeout);
}
