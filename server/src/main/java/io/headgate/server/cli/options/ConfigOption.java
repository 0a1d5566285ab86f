package io.headgate.server.cli.options;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Names the file of options. */
public final class ConfigOption {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Where further options are read from. Default: headgate.yaml, if it is there")
  @SuppressWarnings("UnusedVariable") // Configuration looks for it before options are parsed
  private Optional<Path> config = Optional.empty();
}
