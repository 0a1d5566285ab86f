package io.headgate.server.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The {@code headgate} command. */
@Command(
    name = "headgate",
    description = "Decides, for a whole fleet at once, whether a request may go ahead.",
    mixinStandardHelpOptions = true,
    version = "Headgate 0.1.0-SNAPSHOT")
public final class Main implements Runnable {

  @Spec private CommandSpec spec;

  Main() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public void run() {
    spec.commandLine().usage(System.out);
  }
}
