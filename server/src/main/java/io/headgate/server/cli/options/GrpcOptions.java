package io.headgate.server.cli.options;

import io.headgate.server.cli.output.DurationText;
import io.headgate.server.grpc.GrpcSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How Envoy is answered. */
public final class GrpcOptions {
  @Option(
      names = "--grpc-deadline",
      paramLabel = "TIME",
      defaultValue = "15ms",
      converter = DurationText.class,
      description =
          "How long a check over gRPC may take; a later one is answered UNAVAILABLE."
              + " Less than Envoy waits, which is 20ms by default. Default: ${DEFAULT-VALUE}")
  private Duration deadline = GrpcSettings.DEFAULT_DEADLINE;

  public GrpcSettings settings() {
    return new GrpcSettings(deadline);
  }
}
