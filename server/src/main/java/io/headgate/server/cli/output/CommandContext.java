package io.headgate.server.cli.output;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Help.Ansi;

/**
 * What a command finds around it.
 *
 * @param coloured whether {@code out} is a terminal that shows colours
 * @param person who sits there, if somebody does
 */
public record CommandContext(
    Map<String, String> environment,
    Path directory,
    PrintWriter out,
    PrintWriter err,
    boolean coloured,
    Optional<Person> person) {

  /**
   * Somebody at a terminal.
   *
   * @param width of the terminal, in characters
   * @param answers what is typed, a line at a time; empty at its end
   */
  public record Person(int width, Supplier<Optional<String>> answers) {}

  /** Where nobody is to be asked. */
  public CommandContext(
      Map<String, String> environment,
      Path directory,
      PrintWriter out,
      PrintWriter err,
      boolean coloured) {
    this(environment, directory, out, err, coloured, Optional.empty());
  }

  public static CommandContext ofProcess() {
    return new CommandContext(
        System.getenv(),
        Path.of(""),
        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        Ansi.AUTO.enabled(),
        Terminal.person());
  }

  public CommandContext coloured(boolean other) {
    return new CommandContext(environment, directory, out, err, other, person);
  }

  /** The text in a colour that says how good it is, where colours are seen. */
  public String good(String text) {
    return painted("32", text);
  }

  public String bad(String text) {
    return painted("31", text);
  }

  String remarkable(String text) {
    return painted("33", text);
  }

  String faint(String text) {
    return painted("2", text);
  }

  private String painted(String code, String text) {
    return coloured ? "\033[" + code + "m" + text + "\033[0m" : text;
  }
}
