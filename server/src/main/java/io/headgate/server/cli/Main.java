package io.headgate.server.cli;

import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.options.LogOptions;
import io.headgate.server.cli.options.RenamedOptions;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.ErrorOutput;
import io.headgate.server.cli.output.Printable;
import java.io.PrintWriter;
import java.io.StringWriter;
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
    Configuration configuration;
    try {
      configuration = Configuration.of(context, args);
    } catch (CommandFailure e) {
      return failed(errors(context, Configuration.withoutFile(context), args), e);
    }
    var errors = errors(context, configuration, args);
    try (var client = new ServiceClient()) {
      return new CommandTree(context, configuration, client)
          .forArguments(args)
          .setCaseInsensitiveEnumValuesAllowed(true)
          .setOut(context.out())
          .setErr(context.err())
          .setDefaultValueProvider(configuration)
          .setExecutionStrategy(parsed -> execute(context, configuration, errors, parsed))
          .setParameterExceptionHandler((e, given) -> misused(configuration, errors, e))
          .setExecutionExceptionHandler((e, line, result) -> failed(errors, e))
          .execute(args);
    } catch (CommandFailure e) {
      return failed(errors, e);
    }
  }

  /** An error that prevents the start of a service is a line of its log. */
  private static ErrorOutput errors(
      CommandContext context, Configuration configuration, String[] args) {
    boolean serves = args.length > 0 && args[0].equals(ServeCommand.NAME);
    return new ErrorOutput(
        context.err(),
        serves && LogOptions.isJson(configuration, args),
        ServeCommand.class.getName());
  }

  private static int execute(
      CommandContext context, Configuration values, ErrorOutput errors, ParseResult parsed) {
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
      return failed(errors, e);
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  private static int misused(Configuration values, ErrorOutput errors, ParameterException e) {
    var renamed = renamed(e);
    if (renamed.isPresent()) {
      errors.print(renamed.get());
      return ERROR;
    }
    String text = String.valueOf(e.getMessage());
    // Keeps the token of a misspelled --admin-token=… out of logs.
    if (!(e instanceof MissingParameterException)) {
      text = text.replaceAll("'(--?[^'=]*)=[^']*'", "'$1=…'");
    }
    var message = new StringBuilder(text);
    if (e.getArgSpec() != null) {
      values.origin(e.getArgSpec()).ifPresent(o -> message.append(" (from ").append(o).append(')'));
    }
    errors.print(message.append('\n').append(advice(e)).toString());
    return ERROR;
  }

  /** Returns similar options or commands, or else where the options are explained. */
  private static String advice(ParameterException e) {
    var suggestions = new StringWriter();
    var printer = new PrintWriter(suggestions, true);
    return UnmatchedArgumentException.printSuggestions(e, printer)
        ? suggestions.toString().strip()
        : "See %s --help.".formatted(e.getCommandLine().getCommandSpec().qualifiedName());
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

  private static int failed(ErrorOutput errors, Exception e) {
    if (e instanceof CommandFailure) {
      errors.print(String.valueOf(e.getMessage()));
      return ERROR;
    }
    String message =
        "the command failed by an error in this program; please report it with the stack trace"
            + " that HEADGATE_JAVA_OPTS=-D%s=true prints".formatted(TRACE);
    if (Boolean.getBoolean(TRACE)) errors.print(message, e);
    else errors.print(message);
    return ERROR;
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return OK;
  }
}
