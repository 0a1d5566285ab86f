package io.headgate.server;

import io.headgate.RateLimiter;
import io.headgate.server.api.Readiness;
import io.headgate.server.files.FileWatcher;
import io.headgate.server.grpc.GrpcApi;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.http.HttpApi;
import io.headgate.server.http.SharedViews;
import io.headgate.server.http.simulation.SimulationExecutor;
import io.headgate.server.http.stats.StatsHandlers;
import io.headgate.server.http.transport.ConnectionLimiter;
import io.headgate.server.http.transport.LimitingTransport;
import io.headgate.server.http.transport.MemoryBudget;
import io.headgate.server.metrics.Metrics;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.simulation.RecentTraffic;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.stats.StatsSettings;
import io.headgate.server.tls.TlsFiles;
import io.headgate.server.trace.Tracing;
import io.headgate.store.Ticker;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A limiter on the network: one event loop for each core, all on one port. */
public final class Service implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /** How long clients have to acknowledge that their connections end. */
  private static final Duration LONGEST_ROUND_TRIP = Duration.ofMillis(500);

  /** Rules that decide, though no book has them. */
  private static final Set<String> NOT_IN_THE_BOOK = Set.of(GrpcApi.DESCRIPTOR_LIMIT);

  private final Vertx vertx;
  private final LimitingTransport transport;
  private final ServiceSettings settings;
  private final GrpcSettings grpc;
  private final RateLimiter limiter;
  private final RuleRepository book;
  private final RecentCallers callers;
  private final Metrics metrics;
  private final StatsRunner watching;
  private final SimulationExecutor trials;
  private final Tracing tracing;
  private final List<Supplier<DecisionListener>> witnesses; // each gives one to every event loop
  private final Readiness readiness = new Readiness();
  private final StatsHandlers live;
  private final ConnectionLimiter door;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
  private final List<Supplier<Future<Void>>> goAways = new CopyOnWriteArrayList<>();
  private volatile HttpServerOptions options = ServerOptions.plain();
  private Optional<FileWatcher> certificates = Optional.empty();

  private Service(
      ServiceSettings settings,
      GrpcSettings grpc,
      StatsSettings watch,
      RateLimiter limiter,
      RuleRepository book,
      StoreMetrics store,
      Ticker ticker) {
    this.settings = settings;
    this.grpc = grpc;
    this.limiter = limiter;
    this.book = book;
    this.callers = new RecentCallers(settings.eventLoops());
    this.watching = new StatsRunner(watch, limiter.store());
    watching.follow(book, NOT_IN_THE_BOOK);
    this.live =
        new StatsHandlers(
            watching.watch(),
            watching.callers(),
            limiter,
            book,
            settings.access(),
            readiness,
            store.times(),
            watching.instance());
    this.trials = new SimulationExecutor(new RecentTraffic(settings.eventLoops(), ticker));
    this.tracing = Tracing.of(settings.traces(), watching.instance());
    this.door =
        new ConnectionLimiter(settings.connections(), settings.proxies(), MemoryBudget.ofHeap());
    this.metrics =
        new Metrics(limiter, book, store, NOT_IN_THE_BOOK, door::open, settings.eventLoops());
    this.witnesses =
        List.of(metrics::witness, this::callersHeard, this::watched, () -> trials.traffic().ear());
    // Nothing is served from files, so Vert.x needs no directory to unpack them in.
    var noFiles =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    this.transport = LimitingTransport.best(door);
    this.vertx =
        Vertx.builder()
            .withTransport(transport)
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(settings.eventLoops())
                    .setWorkerPoolSize(1)
                    .setInternalBlockingPoolSize(1)
                    .setFileSystemOptions(noFiles))
            .build();
  }

  /**
   * Starts serving and returns when it does.
   *
   * @throws IOException if the address can't be listened on
   */
  public static Service start(
      ServiceSettings settings, RateLimiter limiter, RuleRepository book, Ticker ticker)
      throws IOException, InterruptedException {
    return start(settings, GrpcSettings.DEFAULT, limiter, book, new StoreMetrics(), ticker);
  }

  /**
   * As above, with gRPC served otherwise than by default.
   *
   * @param store what was heard of the limiter's store, for metrics
   */
  public static Service start(
      ServiceSettings settings,
      GrpcSettings grpc,
      RateLimiter limiter,
      RuleRepository book,
      StoreMetrics store,
      Ticker ticker)
      throws IOException, InterruptedException {
    return start(settings, grpc, StatsSettings.DEFAULT, limiter, book, store, ticker);
  }

  /** As above, and watched otherwise than by default. */
  public static Service start(
      ServiceSettings settings,
      GrpcSettings grpc,
      StatsSettings watch,
      RateLimiter limiter,
      RuleRepository book,
      StoreMetrics store,
      Ticker ticker)
      throws IOException, InterruptedException {
    var service = new Service(settings, grpc, watch, limiter, book, store, ticker);
    try {
      service.followCertificates();
      service.listen(ticker);
      service.watching.start();
      service.readiness.watchdog().start();
      return service;
    } catch (IOException e) {
      service.giveUp();
      throw new IOException("TLS can't be served: " + e, e);
    } catch (IllegalArgumentException e) {
      service.giveUp();
      throw new IOException("TLS can't be served: " + e.getMessage(), e);
    } catch (ExecutionException e) {
      service.giveUp();
      throw new IOException(
          "can't listen on %s port %d (%s); choose another with --host and --port"
              .formatted(settings.host(), settings.port(), reason(e)),
          e);
    }
  }

  private void giveUp() {
    certificates.ifPresent(FileWatcher::close);
    watching.close();
    metrics.close();
    tracing.close(Duration.ZERO);
    vertx.close();
  }

  private void followCertificates() throws IOException {
    if (settings.tls().isEmpty()) return;
    var files = settings.tls().get();
    certificates =
        Optional.of(
            FileWatcher.follow(
                "the TLS certificate", files.all(), LOOK_EVERY, () -> useCertificates(files)));
  }

  /** Connections that are open keep what they have; those to come get what is new. */
  private void useCertificates(TlsFiles files) throws IOException {
    var material = files.read();
    options = ServerOptions.tls(material, files.clientsMust());
    var changed = ServerOptions.changed(material, files.clientsMust());
    try {
      for (var server : servers) get(server.updateSSLOptions(changed));
    } catch (ExecutionException e) {
      throw new IOException(reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stopping: nobody needs them any more
    }
  }

  private static String reason(ExecutionException e) {
    var cause = e.getCause() == null ? e : e.getCause();
    return String.valueOf(cause.getMessage());
  }

  private void listen(Ticker ticker) throws ExecutionException, InterruptedException {
    var instances = new DeploymentOptions().setInstances(settings.eventLoops());
    get(vertx.deployVerticle(() -> new Listener(ticker), instances));
  }

  private final class Listener extends VerticleBase {
    private final Ticker ticker;

    Listener(Ticker ticker) {
      this.ticker = ticker;
    }

    @Override
    public Future<?> start() {
      var witness = DecisionListener.all(witnesses.stream().map(Supplier::get).toList());
      var access = settings.access();
      var api =
          new HttpApi(
              vertx,
              limiter,
              book,
              callers,
              witness,
              new SharedViews(metrics, live, trials, tracing),
              ticker,
              access,
              door,
              settings.eventLoops(),
              readiness);
      var loop = vertx.getOrCreateContext();
      goAways.add(() -> onLoop(loop, api::goAway));
      var calls = new GrpcApi(vertx, limiter, ticker, access, readiness, grpc, witness, api);
      var server = api.serve(vertx.createHttpServer(options), calls::takes);
      servers.add(server);
      // A negative port is one that the system chooses and all event loops share.
      return server.listen(settings.port() == 0 ? -1 : settings.port(), settings.address());
    }
  }

  private DecisionListener callersHeard() {
    var ear = callers.ear();
    return (request, result, nanos) -> ear.hear(request.subject());
  }

  private DecisionListener watched() {
    return watching.witness(vertx);
  }

  /** The port that it listens on, also where the system was asked to choose one. */
  public int port() {
    return servers.getFirst().actualPort();
  }

  /** Whether the operating system's own way of waiting for connections is used. */
  public boolean isNative() {
    return transport.isNative();
  }

  /**
   * Stops gracefully. A second call does nothing. The steps, within the grace of the settings:
   *
   * <ol>
   *   <li>Readiness turns false; answers of HTTP/1.1 carry {@code Connection: close}. Requests and
   *       connections are served as before for the time of the notice.
   *   <li>Connections of HTTP/2 get a GOAWAY that refuses no stream, and another that names the
   *       last one when the client has read the first, so that no call is lost that crosses it.
   *   <li>No more connections are accepted; accepted requests are answered; connections close.
   * </ol>
   */
  @Override
  public void close() {
    if (!readiness.stop()) return;
    readiness.watchdog().close();
    certificates.ifPresent(FileWatcher::close);
    long since = System.nanoTime();
    try (metrics) {
      var grace = settings.shutdownGrace();
      var wanted = settings.drainDelay();
      var notice = wanted.compareTo(grace) < 0 ? wanted : grace;
      get(vertx.timer(Math.max(1, notice.toMillis()), TimeUnit.MILLISECONDS));
      get(Future.any(goAway(), vertx.timer(LONGEST_ROUND_TRIP.toMillis(), TimeUnit.MILLISECONDS)));
      long rest = Math.max(1, grace.minusNanos(System.nanoTime() - since).toMillis());
      var stopped =
          servers.stream().map(server -> server.shutdown(rest, TimeUnit.MILLISECONDS)).toList();
      get(Future.join(stopped));
      watching.close();
      get(vertx.close());
      tracing.close(grace.minusNanos(System.nanoTime() - since));
    } catch (ExecutionException e) {
      throw new IllegalStateException("the service did not stop in good order", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      vertx.close();
    }
  }

  /** Completes when every client of HTTP/2 has read that its connection ends. */
  private Future<Void> goAway() {
    return Future.join(goAways.stream().map(Supplier::get).toList()).mapEmpty();
  }

  private static <T> Future<T> onLoop(Context loop, Supplier<Future<T>> work) {
    var done = Promise.<T>promise();
    loop.runOnContext(woken -> work.get().onComplete(done));
    return done.future();
  }

  private static <T> T get(Future<T> future) throws ExecutionException, InterruptedException {
    return future.toCompletionStage().toCompletableFuture().get();
  }
}
