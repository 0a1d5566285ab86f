package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Loads a running service with checks, and reports rate, latency and decisions. */
@Command(
    name = "bench",
    description =
        "Loads a running service with checks of one subject for a time, and prints the rate, the"
            + " latencies and how many requests each rule admitted. The checks are charged. Exits"
            + " with 0, or with 2 if a check failed.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {
  private static final int MAX_CONNECTIONS = 256;
  private static final Duration MAX_TIME = Duration.ofMinutes(10);

  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  @Mixin private CostOptions costs;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "8",
      description =
          "How many connections send checks, each one after the other. Default: ${DEFAULT-VALUE}")
  private int connections = 8;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "5s",
      converter = DurationText.class,
      description = "How long. Default: ${DEFAULT-VALUE}")
  private Duration time = Duration.ofSeconds(5);

  BenchCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (connections < 1 || connections > MAX_CONNECTIONS) {
      throw new CommandFailure(
          "--connections must be from 1 to %d, got %d".formatted(MAX_CONNECTIONS, connections));
    }
    if (time.isZero() || time.compareTo(MAX_TIME) > 0) {
      throw new CommandFailure("--for must be from 1ms to 10m");
    }
    var body = JsonRequestBody.of(options.subject(), costs::write);
    options.post(client, "/v1/peek", body); // reports a wrong address or token before the load
    long start = System.nanoTime();
    var total = BenchCounts.merged(load(body, start + time.toNanos()));
    double seconds = (System.nanoTime() - start) / 1e9;
    if (options.json()) context.out().println(total.json(seconds, connections));
    else context.out().print(total.text(seconds, connections));
    context.out().flush();
    return total.errors() == 0 ? Main.OK : Main.ERROR;
  }

  private List<BenchCounts> load(String body, long end) throws InterruptedException {
    var results = new ArrayList<Future<BenchCounts>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < connections; i++) results.add(threads.submit(() -> send(body, end)));
    }
    var counts = new ArrayList<BenchCounts>();
    for (var result : results) {
      try {
        counts.add(result.get());
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
    return counts;
  }

  /** Sends checks over one connection until the time is over or one fails. */
  private BenchCounts send(String body, long end) {
    var counts = new BenchCounts();
    try (var own = new ServiceClient()) {
      while (System.nanoTime() - end < 0) {
        long start = System.nanoTime();
        var answer = options.post(own, "/v1/check", body);
        counts.add(System.nanoTime() - start, answer.json());
      }
    } catch (CommandFailure e) {
      counts.failed(String.valueOf(e.getMessage()));
    }
    return counts;
  }
}
