package io.headgate.server.cli.output;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Help.Ansi;

/**
 * The environment of a command: variables, working directory, output streams and terminal.
 *
 * @param environment the environment variables
 * @param directory what relative paths are resolved against
 * @param out standard output
 * @param err standard error
 * @param coloured whether {@code out} is a terminal that shows colours
 * @param terminal the interactive terminal, if there is one
 */
public record CommandContext(
    Map<String, String> environment,
    Path directory,
    PrintWriter out,
    PrintWriter err,
    boolean coloured,
    Optional<InteractiveTerminal> terminal) {

  /**
   * An interactive terminal.
   *
   * @param width the width in characters
   * @param input reads a line of input; empty at the end of input
   */
  public record InteractiveTerminal(int width, Supplier<Optional<String>> input) {}

  /** Creates a context without an interactive terminal. */
  public CommandContext(
      Map<String, String> environment,
      Path directory,
      PrintWriter out,
      PrintWriter err,
      boolean coloured) {
    this(environment, directory, out, err, coloured, Optional.empty());
  }

  /** Returns the context of this process. */
  public static CommandContext ofProcess() {
    return new CommandContext(
        System.getenv(),
        Path.of(""),
        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        Ansi.AUTO.enabled(),
        Terminal.detect());
  }

  /** Returns this context with colours turned on or off. */
  public CommandContext coloured(boolean other) {
    return new CommandContext(environment, directory, out, err, other, terminal);
  }

  /** Returns the text in green if colours are on. */
  public String good(String text) {
    return inColour("32", text);
  }

  /** Returns the text in red if colours are on. */
  public String bad(String text) {
    return inColour("31", text);
  }

  /** Returns the text in yellow if colours are on. */
  public String warning(String text) {
    return inColour("33", text);
  }

  String faint(String text) {
    return inColour("2", text);
  }

  private String inColour(String code, String text) {
    return coloured ? "\033[" + code + "m" + text + "\033[0m" : text;
  }
}
