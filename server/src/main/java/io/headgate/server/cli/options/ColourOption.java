package io.headgate.server.cli.options;

import io.headgate.server.cli.output.CommandContext;
import picocli.CommandLine.Option;

/** The {@code --color} option. */
public final class ColourOption {
  /** The values, in lower case as on the command line. */
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
      description =
          "Whether to use colours: auto, always or never. Default: ${DEFAULT-VALUE}, colours"
              + " on a terminal")
  private When when = When.auto;

  /** Returns a context with colours turned on or off; {@code auto} respects NO_COLOR. */
  public CommandContext applied(CommandContext context) {
    return switch (when) {
      case auto ->
          context.coloured(
              context.coloured() && context.environment().getOrDefault("NO_COLOR", "").isEmpty());
      case always -> context.coloured(true);
      case never -> context.coloured(false);
    };
  }
}
