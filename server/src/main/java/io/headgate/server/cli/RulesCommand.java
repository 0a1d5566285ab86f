package io.headgate.server.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of all commands about rules. */
@Command(
    name = "rules",
    description = "Validates rules, and shows and changes the rules of a running service.",
    mixinStandardHelpOptions = true)
final class RulesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "rules needs a subcommand: "
            + String.join(", ", spec.commandLine().getSubcommands().keySet()));
  }
}
