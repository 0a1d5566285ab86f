package io.headgate.server.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is done with rules as such. */
@Command(
    name = "rules",
    description = "Looks at rules, and changes those of a running service.",
    mixinStandardHelpOptions = true)
final class RulesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "rules wants to know what to do: "
            + String.join(", ", spec.commandLine().getSubcommands().keySet()));
  }
}
