package io.headgate.server.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of all commands about slots. */
@Command(
    name = "slots",
    description = "Acquires, renews and releases slots of concurrency limits.",
    mixinStandardHelpOptions = true)
final class SlotsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "slots needs a subcommand: "
            + String.join(", ", spec.commandLine().getSubcommands().keySet()));
  }
}
