package io.headgate.server.cli;

import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.options.RenamedOptions;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.Printable;
import java.util.Optional;
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
    description = "A distributed rate limiter.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done; the request is allowed.",
      "1:Denied; or the rules are not valid, the slot has expired, the caller is not blocked.",
      "2:An error: no service, a wrong option, a missing token."
    },
    footerHeading = "%n",
    footer = "'headgate help COMMAND' explains a command.")
public final class Main implements Callable<Integer> {
  static final int OK = 0;
  static final int NO = 1; // denied, rejected or not valid
  static final int ERROR = 2;

  /** The system property that prints the stack trace of an unexpected exception. */
  private static final String TRACE = "headgate.trace";

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"Headgate " + (version == null ? "(development)" : version)};
    }
  }

  @Spec private CommandSpec spec;

  Main() {}

  /** Runs a command and exits. */
  public static void main(String[] args) {
    System.exit(run(CommandContext.ofProcess(), args));
  }

  /** Runs a command and returns its exit code. */
  public static int run(CommandContext context, String... args) {
    try (var client = new ServiceClient()) {
      var configuration = Configuration.of(context, args);
      return new CommandTree(context, configuration, client)
          .forArguments(args)
          .setCaseInsensitiveEnumValuesAllowed(true)
          .setOut(context.out())
          .setErr(context.err())
          .setDefaultValueProvider(configuration)
          .setExecutionStrategy(parsed -> execute(context, configuration, parsed))
          .setParameterExceptionHandler((e, given) -> misused(context, configuration, e))
          .setExecutionExceptionHandler((e, line, result) -> failed(context, e))
          .execute(args);
    } catch (CommandFailure e) {
      return failed(context, e);
    }
  }

  private static int execute(CommandContext context, Configuration values, ParseResult parsed) {
    try {
      var last = parsed;
      while (last.hasSubcommand()) last = last.subcommand();
      values.requireCurrentNames(last);
      TokenDestination.check(values, last);
      // The service logs the warnings itself, in the format of its log.
      if (!(last.commandSpec().userObject() instanceof ServeCommand)) {
        for (var warning : values.unknownVariables()) {
          context.err().println("headgate: warning: " + Printable.of(warning));
        }
      }
    } catch (CommandFailure e) {
      return failed(context, e);
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  private static int misused(CommandContext context, Configuration values, ParameterException e) {
    var renamed = renamed(e);
    if (renamed.isPresent()) {
      context.err().println("headgate: " + renamed.get());
      return ERROR;
    }
    String text = String.valueOf(e.getMessage());
    // Keeps the token of a misspelled --admin-token=… out of logs.
    if (!(e instanceof MissingParameterException)) {
      text = text.replaceAll("'(--?[^'=]*)=[^']*'", "'$1=…'");
    }
    var message = new StringBuilder("headgate: ").append(text);
    if (e.getArgSpec() != null) {
      values.origin(e.getArgSpec()).ifPresent(o -> message.append(" (from ").append(o).append(')'));
    }
    context.err().println(Printable.lines(message.toString()));
    if (!UnmatchedArgumentException.printSuggestions(e, context.err())) {
      String name = e.getCommandLine().getCommandSpec().qualifiedName();
      context.err().printf("See %s --help.%n", name);
    }
    return ERROR;
  }

  /** Returns the message if an argument is the former name of an option of this command. */
  private static Optional<String> renamed(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) return Optional.empty();
    var spec = e.getCommandLine().getCommandSpec();
    for (var argument : unmatched.getUnmatched()) {
      var current = RenamedOptions.currentFlag(argument);
      if (current.isPresent() && spec.findOption(current.get()) != null) {
        String former = argument.replaceFirst("=.*", "");
        return Optional.of("option '%s' was renamed; use %s".formatted(former, current.get()));
      }
    }
    return Optional.empty();
  }

  private static int failed(CommandContext context, Exception e) {
    if (e instanceof CommandFailure) {
      context.err().println("headgate: " + Printable.lines(String.valueOf(e.getMessage())));
      return ERROR;
    }
    context
        .err()
        .println(
            "headgate: the command failed by an error in this program; please report it with the"
                + " stack trace that HEADGATE_JAVA_OPTS=-D%s=true prints".formatted(TRACE));
    if (Boolean.getBoolean(TRACE)) e.printStackTrace(context.err());
    return ERROR;
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return OK;
  }
}
