package io.headgate.server.grpc;

import io.headgate.server.quota.QuotaSettings;
import java.time.Duration;

/**
 * The settings of the gRPC services.
 *
 * @param deadline how long a check waits for the store; failure policies decide a slower check,
 *     while Envoy still waits
 * @param quotas the times and bounds of quota assignments
 */
public record GrpcSettings(Duration deadline, QuotaSettings quotas) {
  /** Below Envoy's default timeout of 20 ms. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(15);

  public static final GrpcSettings DEFAULT = new GrpcSettings(DEFAULT_DEADLINE);

  /** Creates settings with the default quota assignments. */
  public GrpcSettings(Duration deadline) {
    this(deadline, QuotaSettings.DEFAULT);
  }

  public GrpcSettings {
    if (deadline.toMillis() < 1) {
      throw new IllegalArgumentException(
          "grpc-deadline must be at least 1ms, got %s".formatted(deadline));
    }
  }
}
