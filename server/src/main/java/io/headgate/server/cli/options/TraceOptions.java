package io.headgate.server.cli.options;

import io.headgate.server.trace.TraceSettings;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which requests are followed, and where that is told. */
public final class TraceOptions {
  @Option(
      names = "--otlp-endpoint",
      paramLabel = "URL",
      description =
          "The address (http or https) of a collector that takes traces of checks by OTLP over HTTP,"
              + " such as http://127.0.0.1:4318. Default: none")
  private Optional<String> traces = Optional.empty();

  @Option(
      names = "--trace-ratio",
      paramLabel = "SHARE",
      defaultValue = "0.01",
      description =
          "The share of checks that are traced, 0 to 1, of those whose caller does not say by"
              + " traceparent. Default: ${DEFAULT-VALUE}")
  private double ratio;

  /**
   * @throws IllegalArgumentException if they make no sense
   */
  public Optional<TraceSettings> settings() {
    return traces.map(address -> TraceSettings.of(address, ratio));
  }
}
