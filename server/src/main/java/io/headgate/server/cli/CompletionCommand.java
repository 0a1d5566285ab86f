package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script that completes commands and options in a shell. */
@Command(
    name = "completion",
    description = {
      "Prints a script that completes commands and options. To use it in this shell:",
      "  source <(headgate completion bash)"
    },
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
  /** The shells, in lower case as on the command line. */
  @SuppressWarnings("MemberName")
  enum ShellName {
    bash,
    zsh
  }

  private final CommandContext context;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "The shell: bash or zsh.")
  @SuppressWarnings("UnusedVariable") // the script detects its shell
  private ShellName shell = ShellName.bash;

  CompletionCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    context.out().print(AutoComplete.bash("headgate", spec.root().commandLine()));
    context.out().flush();
    return Main.OK;
  }
}
