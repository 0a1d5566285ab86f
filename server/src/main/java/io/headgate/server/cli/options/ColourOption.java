package io.headgate.server.cli.options;

import io.headgate.server.cli.output.CommandContext;
import picocli.CommandLine.Option;

/** Whether to use colours where the terminal alone does not decide. */
public final class ColourOption {
  /** Small, as they are written. */
  @SuppressWarnings("MemberName")
  enum When {
    auto,
    always,
    never
  }

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      defaultValue = "auto",
      description = "auto, always or never. Default: ${DEFAULT-VALUE}, colours on a terminal")
  private When when = When.auto;

  public CommandContext applied(CommandContext around) {
    return switch (when) {
      case auto ->
          around.coloured(
              around.coloured() && around.environment().getOrDefault("NO_COLOR", "").isEmpty());
      case always -> around.coloured(true);
      case never -> around.coloured(false);
    };
  }
}
