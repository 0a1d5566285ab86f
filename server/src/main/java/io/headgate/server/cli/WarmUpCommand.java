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
import picocli.CommandLine.Option;

/**
 * Exercises a service, or the commands that call one, so that the JVM records a cache of the
 * classes that were loaded. The launcher runs this command with a recording JVM and uses the caches
 * for later starts.
 */
@Command(
    name = "warm-up",
    description = {
      "Makes later starts faster: runs a service for a moment and stores the classes that the JVM"
          + " has loaded.",
      "Run it once for each version of Headgate and of Java."
    },
    mixinStandardHelpOptions = true)
final class WarmUpCommand implements Callable<Integer> {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final int CHECKS = 50;

  private final CommandContext context;

  @Option(
      names = "--client",
      hidden = true,
      description = "Runs only the commands that call a service.")
  private boolean onlyClient;

  WarmUpCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (onlyClient) {
      new ClientWarmUp(context).run();
      return Main.OK;
    }
    var output = new StringWriter();
    Thread.ofPlatform().daemon().start(() -> run(output, "serve", "--port", "0"));
    String url = address(output);
    for (int i = 0; i < CHECKS; i++) {
      int code = run(new StringWriter(), "check", "user:" + i, "--url", url);
      if (code == Main.ERROR)
        throw new CommandFailure("a check failed during the warm-up: " + output);
    }
    run(new StringWriter(), "explain", "user:1", "--url", url);
    return Main.OK; // the service stops gracefully on exit
  }

  private int run(StringWriter output, String... args) {
    var writer = new PrintWriter(output, true);
    return Main.run(new CommandContext(Map.of(), context.directory(), writer, writer, false), args);
  }

  private static String address(StringWriter output) throws InterruptedException {
    long since = System.nanoTime();
    while (System.nanoTime() - since < START_TIMEOUT.toNanos()) {
      var found = ADDRESS.matcher(output.toString());
      if (found.find()) return found.group();
      Thread.sleep(10);
    }
    throw new CommandFailure("the service did not start: " + output);
  }
}
