package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.io.TempDir;

/** Runs commands in this JVM, with a directory and environment of the test. */
abstract class Shell {
  @TempDir Path folder;

  final Map<String, String> environment =
      new HashMap<>(
          Map.of("HEADGATE_WARM_UP", "0s", "HEADGATE_LOG_FORMAT", "text", "HEADGATE_PORT", "0"));
  final Queue<String> typed = new ArrayDeque<>();

  /** The width of the terminal, if there is one. */
  Optional<Integer> terminal = Optional.empty();

  Runnable whileAsked = () -> {};
  int code;
  String out = "";
  String err = "";

  /** Runs a command and returns its exit code. */
  int run(String... args) {
    var written = new StringWriter();
    var complained = new StringWriter();
    code = Main.run(context(written, complained), args);
    out = written.toString().replace("\r\n", "\n");
    err = complained.toString().replace("\r\n", "\n");
    return code;
  }

  /** Returns a context whose output is lost. */
  CommandContext context() {
    return context(new StringWriter(), new StringWriter());
  }

  private CommandContext context(StringWriter written, StringWriter complained) {
    return new CommandContext(
        environment,
        folder,
        new PrintWriter(written, true),
        new PrintWriter(complained, true),
        terminal.isPresent(),
        terminal.map(width -> new CommandContext.InteractiveTerminal(width, this::answer)));
  }

  private Optional<String> answer() {
    whileAsked.run();
    return Optional.ofNullable(typed.poll());
  }
}
