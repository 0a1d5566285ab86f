package io.headgate.server.cli;

import io.headgate.RateLimiter;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.WarmUp;
import io.headgate.server.cli.options.GrpcOptions;
import io.headgate.server.cli.options.ListenOptions;
import io.headgate.server.cli.options.LogOptions;
import io.headgate.server.cli.options.RuleOptions;
import io.headgate.server.cli.options.StatsOptions;
import io.headgate.server.cli.options.StoreOptions;
import io.headgate.server.cli.options.TokenOptions;
import io.headgate.server.cli.options.TraceOptions;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.files.FileWatcher;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RulesFile;
import io.headgate.server.stats.StatsSettings;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts the service and stays until it is told to stop. */
@Command(
    name = "serve",
    description = "Runs the service.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footerHeading = "%nEvery option can also be set in the environment or in headgate.yaml:%n",
    footer = {
      "--admin-token is HEADGATE_ADMIN_TOKEN there, and admin-token: here.",
      "Flags win over the environment, which wins over the file."
    })
final class ServeCommand implements Callable<Integer> {
  private final CommandContext around;

  @Option(
      names = "--port",
      defaultValue = "" + ServiceSettings.DEFAULT_PORT,
      description = "The port to listen on; 0 lets the system choose. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--host",
      defaultValue = ServiceSettings.DEFAULT_HOST,
      description =
          "The address to listen on. Others than this machine's own need an admin token."
              + " Default: ${DEFAULT-VALUE}")
  private String host = ServiceSettings.DEFAULT_HOST;

  @Mixin private RuleOptions rules;

  @Mixin private StoreOptions store;

  @Mixin private TokenOptions tokens;

  @Mixin private GrpcOptions grpc;

  @Mixin private ListenOptions listen;

  @Mixin private StatsOptions watch;

  @Mixin private TraceOptions traces;

  @Option(
      names = "--shutdown-grace",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationText.class,
      description = "How long accepted requests may take at the end. Default: ${DEFAULT-VALUE}")
  private Duration shutdownGrace = ServiceSettings.DEFAULT_GRACE;

  @Option(
      names = "--drain-delay",
      paramLabel = "TIME",
      defaultValue = "250ms",
      converter = DurationText.class,
      description =
          "How much of that it goes on as before, but for saying that it is not ready: longer than"
              + " a balancer takes to notice. Default: ${DEFAULT-VALUE}")
  private Duration drainDelay = ServiceSettings.DEFAULT_NOTICE;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      defaultValue = "2s",
      converter = DurationText.class,
      description =
          "How long at most to run the code in this process before listening, so that the first"
              + " calls are fast; 0s for not at all. Default: ${DEFAULT-VALUE}")
  private Duration warmUp = Duration.ofSeconds(2); // WarmUp has a logger, which must come later

  @Mixin private LogOptions log;

  ServeCommand(CommandContext around) {
    this.around = around;
  }

  @Override
  public Integer call() throws InterruptedException {
    log.apply();
    var settings = settings();
    var grpcSettings = grpcSettings();
    var watchSettings = watch.settings();
    var file = rules.readFile(around.directory());
    warmUp();
    var counts = new StoreMetrics();
    var kept = store.open(around.directory(), counts);
    var book = open(file, kept);
    var limiter = RateLimiter.with(kept, book.inForce().rules());
    book.follow(edition -> limiter.replaceRules(edition.rules()));
    var service = start(settings, grpcSettings, watchSettings, limiter, book, counts);
    var tokenFile = tokens.follow(around.directory(), settings.access());
    announce(service, book);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              tokenFile.ifPresent(FileWatcher::close);
              stop(service, limiter, book, file);
            }));
    new CountDownLatch(1).await(); // until a signal starts the shutdown
    return Main.OK;
  }

  private ServiceSettings settings() {
    try {
      return new ServiceSettings(
          host,
          port,
          tokens.access(around.directory()),
          listen.connections(),
          listen.trusted(),
          listen.tls(around.directory()),
          traces.settings(),
          shutdownGrace,
          drainDelay,
          ServiceSettings.cores());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  /** Before the store is opened, so that its first call, too, finds the code warm. */
  private void warmUp() throws InterruptedException {
    if (warmUp.isZero()) return;
    if (warmUp.isNegative()) throw new CommandFailure("--warm-up must not be negative");
    WarmUp.run(store.openForWarmUp(around.directory()), warmUp);
  }

  private RuleRepository open(Optional<RulesFile> file, Store kept) {
    try {
      return rules.open(around.directory(), file, kept);
    } catch (CommandFailure e) {
      kept.close();
      throw e;
    }
  }

  private GrpcSettings grpcSettings() {
    try {
      return grpc.settings();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private static Service start(
      ServiceSettings settings,
      GrpcSettings grpc,
      StatsSettings watch,
      RateLimiter limiter,
      RuleRepository book,
      StoreMetrics counts)
      throws InterruptedException {
    try {
      return Service.start(settings, grpc, watch, limiter, book, counts, Ticker.system());
    } catch (IOException e) {
      book.close();
      limiter.close();
      throw CommandFailure.of(e);
    }
  }

  private void announce(Service service, RuleRepository book) {
    String shown = host.contains(":") ? "[" + host + "]" : host;
    String where = "%s://%s:%d".formatted(listen.scheme(), shown, service.port());
    // At once: whoever waits for the first line may read the others too.
    around
        .out()
        .printf(
            "Headgate listens on %s%n  store  %s%n%s",
            where, store.describe(around.directory()), rules.describe(book));
    around.out().flush();
  }

  /** Runs when the process is told to end. Having ended in good order is no error: exit code 0. */
  private static void stop(
      Service service, RateLimiter limiter, RuleRepository book, Optional<RulesFile> file) {
    Logger log = LoggerFactory.getLogger(ServeCommand.class);
    int code = Main.OK;
    try {
      log.info("stopping: what has been accepted is answered");
      file.ifPresent(RulesFile::close);
      service.close();
      book.close();
      limiter.close();
      log.info("stopped");
    } catch (RuntimeException e) {
      log.error("did not stop in good order", e);
      code = Main.ERROR;
    }
    Runtime.getRuntime().halt(code);
  }
}
