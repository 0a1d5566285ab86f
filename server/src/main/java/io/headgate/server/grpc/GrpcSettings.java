package io.headgate.server.grpc;

import java.time.Duration;

/**
 * How to serve gRPC.
 *
 * @param deadline how long a check may take; one that takes longer is answered UNAVAILABLE, since
 *     its client, Envoy, has gone on without it
 */
public record GrpcSettings(Duration deadline) {
  /** Within the 20 ms that Envoy waits by default. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(15);

  public static final GrpcSettings DEFAULT = new GrpcSettings(DEFAULT_DEADLINE);

  public GrpcSettings {
    if (deadline.toMillis() < 1) {
      throw new IllegalArgumentException(
          "grpc-deadline must be at least 1ms, got %s".formatted(deadline));
    }
  }
}
