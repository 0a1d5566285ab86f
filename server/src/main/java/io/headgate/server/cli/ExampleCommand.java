package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.rules.ExampleRules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints the rules that are in force where no others are given. */
@Command(
    name = "example",
    description = "Prints the example rules, to start your own from.",
    mixinStandardHelpOptions = true)
final class ExampleCommand implements Callable<Integer> {
  private final CommandContext around;

  ExampleCommand(CommandContext around) {
    this.around = around;
  }

  @Override
  public Integer call() {
    around.out().print(ExampleRules.text());
    around.out().flush();
    return Main.OK;
  }
}
