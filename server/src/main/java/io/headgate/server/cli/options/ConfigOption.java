package io.headgate.server.cli.options;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The {@code --config} option, which names the configuration file. */
public final class ConfigOption {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The file from which further options are read. Default: headgate.yaml, if it exists")
  @SuppressWarnings("UnusedVariable") // Configuration reads it before options are parsed
  private Optional<Path> config = Optional.empty();
}
