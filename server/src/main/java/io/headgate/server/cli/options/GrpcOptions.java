package io.headgate.server.cli.options;

import io.headgate.server.cli.output.DurationText;
import io.headgate.server.grpc.GrpcSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options of the gRPC services. */
public final class GrpcOptions {
  @Option(
      names = "--grpc-deadline",
      paramLabel = "TIME",
      defaultValue = "15ms",
      converter = DurationText.class,
      description =
          "How long a check over gRPC waits for the store before each rule's on-store-failure"
              + " decides. Must be less than Envoy's timeout, which is 20ms by default. Default:"
              + " ${DEFAULT-VALUE}")
  private Duration deadline = GrpcSettings.DEFAULT_DEADLINE;

  /**
   * Returns the settings.
   *
   * @throws IllegalArgumentException if the deadline is less than 1 ms
   */
  public GrpcSettings settings() {
    return new GrpcSettings(deadline);
  }
}
