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

/** Finds out whether somebody sits there. */
final class Terminal {
  private static final int USUAL_WIDTH = 80;

  static Optional<CommandContext.Person> person() {
    var console = System.console();
    if (!isTerminal(console)) return Optional.empty();
    var in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    return Optional.of(new CommandContext.Person(width(), () -> line(in)));
  }

  /** Newer JDKs have a console also where there is no terminal, and a method that tells. */
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
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      boolean ended = process.waitFor(1, TimeUnit.SECONDS);
      if (ended && said.matches("\\d{1,5} [1-9]\\d{0,4}\\s*")) {
        return Integer.parseInt(said.strip().split(" ", -1)[1]);
      }
    } catch (IOException e) {
      // There is no stty, or no terminal: the usual width will do.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return USUAL_WIDTH;
  }

  private Terminal() {}
}
