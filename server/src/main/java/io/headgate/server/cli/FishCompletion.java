package io.headgate.server.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Writes a completion script for fish, which picocli has none for. */
final class FishCompletion {
  private static final String PROGRAM = "headgate";

  private final StringBuilder script = new StringBuilder();

  /** Returns the script for all commands below the root. */
  static String of(CommandLine root) {
    var completion = new FishCompletion();
    completion.script.append("complete -c %s -f%n".formatted(PROGRAM));
    for (var command : root.getSubcommands().values()) {
      var spec = command.getCommandSpec();
      completion.command("__fish_use_subcommand", spec);
      completion.options(seen(spec.name()), spec);
      var nested = command.getSubcommands().values();
      var names = nested.stream().map(line -> line.getCommandSpec().name()).toList();
      for (var subcommand : nested) completion.nested(spec, subcommand.getCommandSpec(), names);
    }
    return completion.script.toString();
  }

  private void nested(CommandSpec parent, CommandSpec command, List<String> siblings) {
    String parentSeen = seen(parent.name());
    command(parentSeen + "; and not " + seen(String.join(" ", siblings)), command);
    options(parentSeen + "; and " + seen(command.name()), command);
  }

  private static String seen(String names) {
    return "__fish_seen_subcommand_from " + names;
  }

  private void command(String condition, CommandSpec command) {
    line(condition, "-a " + command.name(), command.usageMessage().description());
  }

  private void options(String condition, CommandSpec command) {
    for (var option : command.options()) {
      if (option.hidden()) continue;
      var name = new StringBuilder();
      for (var alias : option.names()) {
        if (!name.isEmpty()) name.append(' ');
        name.append(alias.startsWith("--") ? "-l " + alias.substring(2) : "-s " + alias.charAt(1));
      }
      if (option.arity().max() > 0) name.append(" -r");
      line(condition, name.toString(), option.description());
    }
  }

  /** Writes one completion, with the first sentence of its description. */
  private void line(String condition, String what, String[] description) {
    String text = description.length == 0 ? "" : description[0].replaceFirst("\\. .*", "");
    script.append(
        "complete -c %s -n '%s' %s -d '%s'%n"
            .formatted(PROGRAM, condition, what, text.replace("\\", "\\\\").replace("'", "\\'")));
  }

  private FishCompletion() {}
}
