package io.headgate.server.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the help of a command. */
@Command(
    name = "help",
    description = "Prints the help of a command, or the list of commands.",
    mixinStandardHelpOptions = true)
final class HelpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "COMMAND", description = "The command, such as check or rules apply.")
  private List<String> names = List.of();

  @Override
  public Integer call() {
    var line = spec.root().commandLine();
    for (var name : names) {
      var found = line.getSubcommands().get(name);
      if (found == null) {
        throw new ParameterException(
            line,
            "there is no command '%s'; commands: %s"
                .formatted(
                    String.join(" ", names), String.join(", ", line.getSubcommands().keySet())));
      }
      line = found;
    }
    line.usage(spec.commandLine().getOut());
    return Main.OK;
  }
}
