package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;

/**
 * Does once what a service does in its first seconds, for the launcher to keep: it runs this with a
 * JVM that writes down which classes were used, and how (its AOT cache), and later starts begin
 * where this one ended.
 */
@Command(
    name = "warm-up",
    description = {
      "Makes later starts faster: serves itself for a moment and keeps what the JVM has learnt.",
      "Once for each version and machine; needs Java 25, and does nothing with an older one."
    },
    mixinStandardHelpOptions = true)
final class WarmUpCommand implements Callable<Integer> {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int CHECKS = 50;

  private final CommandContext around;

  WarmUpCommand(CommandContext around) {
    this.around = around;
  }

  @Override
  public Integer call() throws InterruptedException {
    var said = new StringWriter();
    Thread.ofPlatform().daemon().start(() -> run(said, "serve", "--port", "0"));
    String url = address(said);
    for (int i = 0; i < CHECKS; i++) {
      int code = run(new StringWriter(), "check", "user:" + i, "--url", url);
      if (code == Main.ERROR) throw new CommandFailure("a check failed while warming up: " + said);
    }
    run(new StringWriter(), "explain", "user:1", "--url", url);
    return Main.OK; // on exit the service stops in good order
  }

  private int run(StringWriter said, String... args) {
    var writer = new PrintWriter(said, true);
    return Main.run(new CommandContext(Map.of(), around.directory(), writer, writer, false), args);
  }

  private static String address(StringWriter said) throws InterruptedException {
    long since = System.nanoTime();
    while (System.nanoTime() - since < PATIENCE.toNanos()) {
      var found = ADDRESS.matcher(said.toString());
      if (found.find()) return found.group();
      Thread.sleep(10);
    }
    throw new CommandFailure("the service did not start: " + said);
  }
}
