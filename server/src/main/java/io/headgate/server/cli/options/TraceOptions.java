package io.headgate.server.cli.options;

import io.headgate.server.trace.TraceSettings;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of tracing. */
public final class TraceOptions {
  @Option(
      names = "--otlp-endpoint",
      paramLabel = "URL",
      description =
          "The URL (http or https) of a collector that receives traces of checks by OTLP over"
              + " HTTP, such as http://127.0.0.1:4318. Default: none")
  private Optional<String> traces = Optional.empty();

  @Option(
      names = "--trace-ratio",
      paramLabel = "SHARE",
      defaultValue = "0.01",
      description =
          "The share of checks to trace, 0 to 1, unless the caller's traceparent decides."
              + " Default: ${DEFAULT-VALUE}")
  private double ratio;

  /**
   * Returns the settings; empty if traces are not exported.
   *
   * @throws IllegalArgumentException if an option is not valid
   */
  public Optional<TraceSettings> settings() {
    return traces.map(address -> TraceSettings.of(address, ratio));
  }
}
