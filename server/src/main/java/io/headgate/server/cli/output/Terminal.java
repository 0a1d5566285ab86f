package io.headgate.server.cli.output;

import java.io.BufferedReader;
import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Detects whether standard output is an interactive terminal. */
final class Terminal {
  private static final int DEFAULT_WIDTH = 80;

  static Optional<CommandContext.InteractiveTerminal> detect() {
    var console = System.console();
    if (!isTerminal(console)) return Optional.empty();
    var in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    return Optional.of(new CommandContext.InteractiveTerminal(width(), () -> line(in)));
  }

  /** Uses Console.isTerminal if it exists (JDK 22); newer JDKs have a console without terminal. */
  private static boolean isTerminal(@Nullable Console console) {
    if (console == null) return false;
    try {
      return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  private static Optional<String> line(BufferedReader in) {
    try {
      return Optional.ofNullable(in.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int width() {
    try {
      var process =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectErrorStream(true)
              .start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      boolean exited = process.waitFor(1, TimeUnit.SECONDS);
      if (exited && output.matches("\\d{1,5} [1-9]\\d{0,4}\\s*")) {
        return Integer.parseInt(output.strip().split(" ", -1)[1]);
      }
    } catch (IOException e) {
      // No stty or no terminal: use the default width.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return DEFAULT_WIDTH;
  }

  private Terminal() {}
}
