package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.rules.ExampleRules;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints the example rules, which a service uses if none are given. */
@Command(
    name = "example",
    description = "Prints the example rules, as a start for your own.",
    mixinStandardHelpOptions = true)
final class ExampleCommand implements Callable<Integer> {
  private final CommandContext context;

  ExampleCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    context.out().print(ExampleRules.text());
    context.out().flush();
    return Main.OK;
  }
}
