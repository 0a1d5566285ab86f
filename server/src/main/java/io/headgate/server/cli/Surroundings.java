package io.headgate.server.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/**
 * What a command finds around it.
 *
 * @param coloured whether {@code out} is a terminal that shows colours
 */
record Surroundings(
    Map<String, String> environment,
    Path directory,
    PrintWriter out,
    PrintWriter err,
    boolean coloured) {

  static Surroundings ofProcess() {
    return new Surroundings(
        System.getenv(),
        Path.of(""),
        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        Ansi.AUTO.enabled());
  }

  /** The text in a colour that says how good it is, where colours are seen. */
  String good(String text) {
    return painted("32", text);
  }

  String bad(String text) {
    return painted("31", text);
  }

  String faint(String text) {
    return painted("2", text);
  }

  private String painted(String code, String text) {
    return coloured ? "\033[" + code + "m" + text + "\033[0m" : text;
  }
}
