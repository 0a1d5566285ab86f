package io.headgate.server.grpc;

import java.time.Duration;

/**
 * The settings of the gRPC services.
 *
 * @param deadline how long a check may take; a slower check is answered UNAVAILABLE, since Envoy
 *     has proceeded without it
 */
public record GrpcSettings(Duration deadline) {
  /** Below Envoy's default timeout of 20 ms. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(15);

  public static final GrpcSettings DEFAULT = new GrpcSettings(DEFAULT_DEADLINE);

  public GrpcSettings {
    if (deadline.toMillis() < 1) {
      throw new IllegalArgumentException(
          "grpc-deadline must be at least 1ms, got %s".formatted(deadline));
    }
  }
}
