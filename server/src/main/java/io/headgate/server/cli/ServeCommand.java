package io.headgate.server.cli;

import io.headgate.RateLimiter;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.Service;
import io.headgate.server.Settings;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.http.Access;
import io.headgate.server.rules.ExampleRules;
import io.headgate.server.rules.RuleBook;
import io.headgate.server.rules.RuleBookInMemory;
import io.headgate.server.rules.RulesFile;
import io.headgate.server.rules.Signature;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
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
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final Surroundings around;

  @Option(
      names = "--port",
      defaultValue = "" + Settings.DEFAULT_PORT,
      description = "The port to listen on; 0 lets the system choose. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--host",
      defaultValue = Settings.DEFAULT_HOST,
      description =
          "The address to listen on. Others than this machine's own need an admin token."
              + " Default: ${DEFAULT-VALUE}")
  private String host = Settings.DEFAULT_HOST;

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "The rules, in YAML or JSON; read again when the file changes."
              + " Default: a few examples (see headgate rules example)")
  private Optional<Path> rules = Optional.empty();

  @Mixin private StoreOptions store;

  @Mixin private GrpcOptions grpc;

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      description = "What administrators must show, as Authorization: Bearer TOKEN. Default: none")
  private Optional<String> adminToken = Optional.empty();

  @Option(
      names = "--check-token",
      paramLabel = "TOKEN",
      description = "What callers must show to check. Default: none, anybody may")
  private Optional<String> checkToken = Optional.empty();

  @Option(
      names = "--shutdown-grace",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = Durations.class,
      description = "How long accepted requests may take at the end. Default: ${DEFAULT-VALUE}")
  private Duration shutdownGrace = Settings.DEFAULT_GRACE;

  @Mixin private LogOptions log;

  ServeCommand(Surroundings around) {
    this.around = around;
  }

  @Override
  public Integer call() throws InterruptedException {
    log.apply();
    var settings = settings();
    var grpcSettings = grpcSettings();
    var file = open();
    var rules = file.map(RulesFile::rules).orElseGet(ExampleRules::rules);
    var limiter = RateLimiter.with(store.open(around.directory()), rules);
    var book = RuleBookInMemory.of(rules);
    var service = start(settings, grpcSettings, limiter, book);
    book.follow(edition -> limiter.replaceRules(edition.rules()));
    file.ifPresent(opened ->
        opened.follow(
            LOOK_EVERY,
            read ->
                book.change(OptionalLong.empty(), new Signature("file", ""), old -> read.rules())));
    announce(service, limiter.rules().rules().size());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(service, limiter, file)));
    new CountDownLatch(1).await(); // until a signal starts the shutdown
    return Main.OK;
  }

  private Settings settings() {
    try {
      var access = new Access(adminToken, checkToken);
      return new Settings(
          host, port, access, Settings.DEFAULT_IDLE_TIMEOUT, shutdownGrace, Settings.cores());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private Optional<RulesFile> open() {
    if (rules.isEmpty()) return Optional.empty();
    var path = around.directory().resolve(rules.get());
    try {
      return Optional.of(RulesFile.open(path));
    } catch (IOException e) {
      throw new CommandFailure("the rules can't be read: %s".formatted(e));
    } catch (RuleFileException | IllegalArgumentException e) {
      throw new CommandFailure("the rules are not valid:\n" + e.getMessage());
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
      Settings settings, GrpcSettings grpc, RateLimiter limiter, RuleBook book)
      throws InterruptedException {
    try {
      return Service.start(settings, grpc, limiter, book, Ticker.system());
    } catch (IOException e) {
      limiter.close();
      throw CommandFailure.of(e);
    }
  }

  private void announce(Service service, int count) {
    String shown = host.contains(":") ? "[" + host + "]" : host;
    around.out().printf("Headgate listens on http://%s:%d%n", shown, service.port());
    around.out().printf("  store  %s%n", store.describe(around.directory()));
    if (rules.isPresent()) {
      around.out().printf("  rules  %d from %s, followed%n", count, rules.get());
    } else {
      around
          .out()
          .printf("  rules  %d examples, for want of --rules; to make them yours:%n", count);
      around.out().println("         ./headgate rules example > rules.yaml");
      around.out().println("         ./headgate serve --rules rules.yaml");
    }
  }

  /** Runs when the process is told to end. Having ended in good order is no error: exit code 0. */
  private static void stop(Service service, RateLimiter limiter, Optional<RulesFile> file) {
    Logger log = LoggerFactory.getLogger(ServeCommand.class);
    int code = Main.OK;
    try {
      log.info("stopping: what has been accepted is answered");
      file.ifPresent(RulesFile::close);
      service.close();
      limiter.close();
      log.info("stopped");
    } catch (RuntimeException e) {
      log.error("did not stop in good order", e);
      code = Main.ERROR;
    }
    Runtime.getRuntime().halt(code);
  }
}
