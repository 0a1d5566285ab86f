package io.headgate.server.cli;

import io.headgate.server.RuleSource;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.StartCheck;
import io.headgate.server.WarmUp;
import io.headgate.server.cli.options.Configuration;
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
import io.headgate.server.cli.output.Printable;
import io.headgate.server.files.FileWatcher;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.log.JsonLogLine;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.stats.StatsSettings;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts the service and runs it until the process is terminated. */
@Command(
    name = ServeCommand.NAME,
    description = "Runs the service.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    optionListHeading = "",
    footerHeading = "%nEvery option can also be set in the environment or in headgate.yaml:%n",
    footer = {
      "--admin-token is HEADGATE_ADMIN_TOKEN in the environment and admin-token: in the file.",
      "Flags override the environment, which overrides the file."
    })
final class ServeCommand implements Callable<Integer> {
  static final String NAME = "serve";

  private final CommandContext context;
  private final Configuration configuration;

  @Option(
      names = "--port",
      defaultValue = "" + ServiceSettings.DEFAULT_PORT,
      description = "The port to listen on; 0 lets the system choose. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--host",
      defaultValue = ServiceSettings.DEFAULT_HOST,
      description =
          "The address to listen on. An address that other machines can reach needs an admin"
              + " token. Default: ${DEFAULT-VALUE}")
  private String host = ServiceSettings.DEFAULT_HOST;

  @Mixin private RuleOptions rules;

  @Mixin private StoreOptions store;

  @Mixin private TokenOptions tokens;

  @Mixin private GrpcOptions grpc;

  @Mixin private ListenOptions listen;

  @Mixin private StatsOptions stats;

  @Mixin private TraceOptions traces;

  @Option(
      names = "--shutdown-grace",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationText.class,
      description =
          "How long accepted requests may take to complete when the service stops. Default:"
              + " ${DEFAULT-VALUE}")
  private Duration shutdownGrace = ServiceSettings.DEFAULT_SHUTDOWN_GRACE;

  @Option(
      names = "--drain-delay",
      paramLabel = "TIME",
      defaultValue = "250ms",
      converter = DurationText.class,
      description =
          "How long to keep serving after readiness turns false; must be longer than a load"
              + " balancer takes to notice. Part of --shutdown-grace. Default: ${DEFAULT-VALUE}")
  private Duration drainDelay = ServiceSettings.DEFAULT_DRAIN_DELAY;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      defaultValue = "2s",
      converter = DurationText.class,
      description =
          "How long at most to warm up the code before listening, so that the first calls are"
              + " fast; 0s to skip it. Default: ${DEFAULT-VALUE}")
  private Duration warmUp =
      Duration.ofSeconds(2); // not a constant of WarmUp, whose logger must not exist yet

  @Mixin private LogOptions log;

  ServeCommand(CommandContext context, Configuration configuration) {
    this.context = context;
    this.configuration = configuration;
  }

  @Override
  public Integer call() throws InterruptedException {
    log.apply();
    warnOfUnknownVariables();
    var settings = settings();
    var grpcSettings = grpcSettings();
    var statsSettings = stats.settings(settings.access(), rules.data(context.directory()));
    var source = rules.source(context.directory());
    check(settings, source);
    warmUp();
    var service = start(settings, grpcSettings, statsSettings, source);
    var tokenFile = tokens.watch(context.directory(), settings.access());
    announce(service);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              tokenFile.ifPresent(FileWatcher::close);
              stop(service);
            }));
    new CountDownLatch(1).await(); // until a signal starts the shutdown
    return Main.OK;
  }

  private static void check(ServiceSettings settings, RuleSource source) {
    try {
      StartCheck.run(settings, source);
    } catch (IOException | RuleRepositoryException e) {
      throw CommandFailure.of(e);
    }
  }

  private void warnOfUnknownVariables() {
    var unknown = configuration.unknownVariables();
    if (unknown.isEmpty()) return;
    Logger logger = LoggerFactory.getLogger(Configuration.class);
    unknown.forEach(warning -> logger.warn("{}", Printable.of(warning)));
  }

  private ServiceSettings settings() {
    try {
      return new ServiceSettings(
          host,
          port,
          tokens.access(context.directory()),
          listen.connections(),
          listen.trusted(),
          listen.tls(context.directory()),
          traces.settings(),
          shutdownGrace,
          drainDelay,
          ServiceSettings.cores(),
          rules.strictCosts());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  /** Warms up before the store is opened, so that its first call finds the code compiled. */
  private void warmUp() throws InterruptedException {
    if (warmUp.isZero()) return;
    if (warmUp.isNegative()) throw new CommandFailure("--warm-up must not be negative");
    WarmUp.run(store.openForWarmUp(context.directory()), warmUp);
  }

  private GrpcSettings grpcSettings() {
    try {
      return grpc.settings();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private Service start(
      ServiceSettings settings, GrpcSettings grpc, StatsSettings stats, RuleSource source)
      throws InterruptedException {
    var metrics = new StoreMetrics();
    var opened = store.open(context.directory(), rules.data(context.directory()), metrics);
    try {
      return Service.start(settings, grpc, stats, opened, source, metrics, Ticker.system());
    } catch (IOException | RuleRepositoryException | IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private void announce(Service service) {
    String shownHost = host.contains(":") ? "[" + host + "]" : host;
    String where = "%s://%s:%d".formatted(listen.scheme(), shownHost, service.port());
    String message = "Headgate listens on " + where;
    var parts = new LinkedHashMap<String, String>();
    parts.put("store", store.describe(context.directory()));
    parts.putAll(rules.describe(service.repository()));
    // In one write, so that a program that waits for the first line can read the others too.
    context.out().print(log.isJson() ? json(message, where, parts) : text(message, parts));
    context.out().flush();
  }

  private static String text(String message, Map<String, String> parts) {
    var text = new StringBuilder(message).append(System.lineSeparator());
    parts.forEach((name, value) ->
        text.append("  %-5s  ".formatted(name))
            .append(value.replace("\n", System.lineSeparator() + " ".repeat(9)))
            .append(System.lineSeparator()));
    return text.toString();
  }

  private static String json(String message, String url, Map<String, String> parts) {
    var fields = new LinkedHashMap<String, Object>();
    fields.put("url", url);
    parts.forEach((name, value) -> fields.put(name, value.replace("\n", " ")));
    String logger = ServeCommand.class.getName();
    return JsonLogLine.of(Instant.now(), "INFO", logger, message, fields) + System.lineSeparator();
  }

  /** Stops gracefully at a signal and exits with 0, rather than with the code of the signal. */
  private static void stop(Service service) {
    Logger log = LoggerFactory.getLogger(ServeCommand.class);
    int code = Main.OK;
    try {
      log.info("stopping: completing accepted requests");
      service.close();
      log.info("stopped");
    } catch (RuntimeException e) {
      log.error("cannot stop gracefully", e);
      code = Main.ERROR;
    }
    Runtime.getRuntime().halt(code);
  }
}
