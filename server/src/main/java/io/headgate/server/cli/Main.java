package io.headgate.server.cli;

import io.headgate.server.cli.options.ConfigOption;
import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.Printable;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code headgate} command. */
@Command(
    name = "headgate",
    description = "Decides, for a whole fleet at once, whether a request may go ahead.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main implements Callable<Integer> {
  static final int OK = 0;
  static final int NO = 1; // denied, or not valid
  static final int ERROR = 2;

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"Headgate " + (version == null ? "(development)" : version)};
    }
  }

  @Spec private CommandSpec spec;

  Main() {}

  public static void main(String[] args) {
    System.exit(run(CommandContext.ofProcess(), args));
  }

  /** Runs a command to its end and returns its exit code. */
  static int run(CommandContext around, String... args) {
    try {
      var configuration = Configuration.of(around, args);
      var client = new ServiceClient();
      return new CommandLine(new Main())
          .addSubcommand(configurable(new ServeCommand(around)))
          .addSubcommand(configurable(new CheckCommand(around, client)))
          .addSubcommand(configurable(new ExplainCommand(around, client)))
          .addSubcommand(
              new CommandLine(new RulesCommand())
                  .addSubcommand(configurable(new ListCommand(around, client)))
                  .addSubcommand(configurable(new ShowCommand(around, client)))
                  .addSubcommand(configurable(new ApplyCommand(around, client)))
                  .addSubcommand(configurable(new DeleteCommand(around, client)))
                  .addSubcommand(configurable(new HistoryCommand(around, client)))
                  .addSubcommand(configurable(new DiffCommand(around, client)))
                  .addSubcommand(configurable(new RestoreCommand(around, client)))
                  .addSubcommand(configurable(new ExportCommand(around, client)))
                  .addSubcommand(new LintCommand(around))
                  .addSubcommand(new ImportEnvoyCommand(around))
                  .addSubcommand(new ExampleCommand(around)))
          .addSubcommand(new SimulateCommand(around))
          .addSubcommand(new WarmUpCommand(around))
          .setCaseInsensitiveEnumValuesAllowed(true)
          .setOut(around.out())
          .setErr(around.err())
          .setDefaultValueProvider(configuration)
          .setExecutionStrategy(parsed -> execute(around, configuration, parsed))
          .setParameterExceptionHandler((e, given) -> misused(around, configuration, e))
          .setExecutionExceptionHandler((e, line, result) -> failed(around, e))
          .execute(args);
    } catch (CommandFailure e) {
      return failed(around, e);
    }
  }

  private static int execute(CommandContext around, Configuration values, ParseResult parsed) {
    try {
      TokenDestination.check(values, parsed);
    } catch (CommandFailure e) {
      return failed(around, e);
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  private static CommandLine configurable(Object command) {
    return new CommandLine(command).addMixin("config", new ConfigOption());
  }

  private static int misused(CommandContext around, Configuration values, ParameterException e) {
    String shown = String.valueOf(e.getMessage());
    // A misspelled --admin-token=… is not to put the token into a log.
    if (!(e instanceof MissingParameterException)) {
      shown = shown.replaceAll("'(--?[^'=]*)=[^']*'", "'$1=…'");
    }
    var message = new StringBuilder("headgate: ").append(shown);
    if (e.getArgSpec() != null) {
      values.origin(e.getArgSpec()).ifPresent(o -> message.append(" (from ").append(o).append(')'));
    }
    around.err().println(Printable.lines(message.toString()));
    if (!UnmatchedArgumentException.printSuggestions(e, around.err())) {
      String name = e.getCommandLine().getCommandSpec().qualifiedName();
      around.err().printf("See %s --help.%n", name);
    }
    return ERROR;
  }

  private static int failed(CommandContext around, Exception e) {
    String message = e instanceof CommandFailure ? String.valueOf(e.getMessage()) : e.toString();
    around.err().println("headgate: " + Printable.lines(message));
    return ERROR;
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return OK;
  }
}
