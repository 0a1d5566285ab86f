package io.headgate.server.grpc;

import io.headgate.server.http.transport.NonApiRequest;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP request of the call that is being passed to its handler, which Vert.x's gRPC request
 * does not contain. Confined to one event loop.
 */
final class ArrivingCall {
  private @Nullable NonApiRequest request;

  /** Passes a request on to its handler. */
  void during(NonApiRequest arriving, Runnable handler) {
    request = arriving;
    try {
      handler.run();
    } finally {
      request = null;
    }
  }

  /** Returns the request; null if no call is being passed on. */
  @Nullable NonApiRequest request() {
    return request;
  }
}
