package io.headgate.server.trace;

import java.time.Duration;
import java.util.Optional;

/** Begins traces; the same for all event loops. */
public interface Tracing {
  /** Nobody wants to know. */
  Tracing OFF = new NoopTracing();

  /**
   * @param instance what to call this process
   */
  static Tracing of(Optional<TraceSettings> settings, String instance) {
    return settings.<Tracing>map(wanted -> OtlpTracing.to(wanted, instance)).orElse(OFF);
  }

  /** To be asked before anything is put together for a trace. */
  boolean isOn();

  /**
   * Of an HTTP request.
   *
   * @param route the path as it is documented, not as it was asked for
   */
  Trace request(String method, String route, TraceParent parent);

  /**
   * Of a gRPC call.
   *
   * @param method with its service, such as {@code grpc.health.v1.Health/Check}
   */
  Trace call(String method, TraceParent parent);

  /** Sends what has been written, and gives up on what takes longer. */
  void close(Duration longest);
}
