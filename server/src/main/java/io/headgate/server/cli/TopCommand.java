package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.TopScreen;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows rules and callers of a running service in a table that is updated. */
@Command(
    name = "top",
    description =
        "Shows the busiest rules and callers of a running service, updated until it is interrupted."
            + " Without a terminal, prints them once.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class TopCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationText.class,
      description = "How often to update, 100ms to 1h. Default: ${DEFAULT-VALUE}")
  private Duration interval = Duration.ofSeconds(1);

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "How many times to print. Default: until interrupted; 1 without a terminal")
  private Optional<Long> count = Optional.empty();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "The maximum number of rules and of callers, 1 to 100. Default: ${DEFAULT-VALUE}")
  private int limit;

  TopCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (limit < 1 || limit > 100)
      throw new CommandFailure("--limit must be 1 to 100, got " + limit);
    if (interval.toMillis() < 100 || interval.compareTo(Duration.ofHours(1)) > 0) {
      throw new CommandFailure(
          "--interval must be 100ms to 1h, got " + DurationText.text(interval.toMillis()));
    }
    boolean live = context.terminal().isPresent() && !service.json();
    long times = count.orElse(live ? Long.MAX_VALUE : 1);
    for (long i = 0; i < times; i++) {
      if (i > 0) Thread.sleep(interval);
      show(live, i > 0);
    }
    return Main.OK;
  }

  /**
   * Prints the present figures.
   *
   * @param repeated whether figures were shown before: the service may be restarting then, so that
   *     its absence is shown and does not end the command
   */
  private void show(boolean live, boolean repeated) {
    var screen = new TopScreen(context, limit);
    try {
      ServiceReads.of(() -> {
        var stats = service.get(client, "/v1/stats", "rates");
        var rules = service.get(client, "/v1/stats/rules", "rules");
        var callers = service.get(client, "/v1/callers?sort=rate&limit=" + limit, "callers");
        if (service.json()) {
          context
              .out()
              .printf(
                  "{\"stats\":%s,\"rules\":%s,\"callers\":%s}%n",
                  stats.body().strip(), rules.body().strip(), callers.body().strip());
        } else {
          screen.print(service.shownUrl(), stats.json(), rules.json(), callers.json(), live);
        }
        return Main.OK;
      });
    } catch (CommandFailure e) {
      if (!live || !repeated) throw e;
      screen.printProblem(String.valueOf(e.getMessage()));
    }
  }
}
