package io.headgate.server;

import io.headgate.RateLimiter;
import io.headgate.server.api.Readiness;
import io.headgate.server.check.CheckService;
import io.headgate.server.check.CostCheck;
import io.headgate.server.files.FileWatcher;
import io.headgate.server.grpc.EnvoyQuotas;
import io.headgate.server.grpc.GrpcApi;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.http.HttpApi;
import io.headgate.server.http.SharedViews;
import io.headgate.server.http.simulation.SimulationExecutor;
import io.headgate.server.http.stats.StatsHandlers;
import io.headgate.server.http.transport.ConnectionLimiter;
import io.headgate.server.http.transport.ConnectionTracker;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.http.transport.LimitingTransport;
import io.headgate.server.http.transport.MemoryBudget;
import io.headgate.server.metrics.Metrics;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.simulation.RecentTraffic;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.stats.LoadHistory;
import io.headgate.server.stats.StatsSettings;
import io.headgate.server.store.StoreView;
import io.headgate.server.tls.TlsFiles;
import io.headgate.server.trace.Tracing;
import io.headgate.store.Budget;
import io.headgate.store.Store;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Serves a rate limiter over HTTP and gRPC: one event loop for each core, all on one port.
 *
 * <p>Puts the rules of a repository into force: those at the start, and every later revision.
 * Closing it stops gracefully. It closes the limiter and the rule repository only if it has opened
 * them itself.
 */
public final class Service implements AutoCloseable {
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  /** The system call and error number that Netty's native transports put before the reason. */
  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed( with error\\(-?\\d+\\))?: ");

  /**
   * How long to wait for HTTP/2 clients to acknowledge a GOAWAY: this part of the shutdown grace,
   * within the bounds.
   */
  private static final int GOAWAY_PART = 10;

  private static final long MIN_GOAWAY_MILLIS = 500;
  private static final long MAX_GOAWAY_MILLIS = 5_000;

  /**
   * After this time Vert.x logs the stack of an event loop. A start on a busy machine, with cold
   * code, takes one for some seconds; {@link Readiness} reports those of a service that serves.
   */
  private static final Duration BLOCKED = Duration.ofSeconds(10);

  /** Rules that appear in decisions without being in the repository. */
  private static final Set<String> BUILT_IN_RULES = Set.of(GrpcApi.DESCRIPTOR_LIMIT);

  private final Vertx vertx;
  private final LimitingTransport transport;
  private final ServiceSettings settings;
  private final GrpcSettings grpc;
  private final EnforcedRules rules;
  private final RateLimiter limiter;
  private final RuleRepository repository;
  private final RecentCallers callers;
  private final Metrics metrics;
  private final StatsRunner stats;
  private final SimulationExecutor simulations;
  private final Tracing tracing;
  private final EnvoyQuotas quotas;
  private final List<Supplier<DecisionListener>> listeners; // each is called once per event loop
  private final Readiness readiness = new Readiness();
  private final StatsHandlers statsHandlers;
  private final ConnectionLimiter connectionLimiter;
  private final List<Budget> budgets = new CopyOnWriteArrayList<>();
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
  private final List<Supplier<Future<Void>>> goAways = new CopyOnWriteArrayList<>();
  private volatile HttpServerOptions options = ServerOptions.plain();
  private Optional<FileWatcher> certificates = Optional.empty();

  private Service(
      ServiceSettings settings,
      GrpcSettings grpc,
      StatsSettings statsSettings,
      EnforcedRules rules,
      StoreMetrics store,
      Ticker ticker) {
    this.settings = settings;
    this.grpc = grpc;
    this.rules = rules;
    this.limiter = rules.limiter();
    this.repository = rules.repository();
    new StoreView(limiter.store())
        .region()
        .ifPresent(region -> region.reportRevision(() -> repository.inForce().number()));
    this.callers = new RecentCallers(settings.eventLoops());
    this.stats = new StatsRunner(statsSettings, limiter);
    stats.follow(repository, BUILT_IN_RULES);
    var storeView = new StoreView(limiter.store());
    stats.logFallback(storeView, limiter::rules, grpc.deadline());
    stats.logLayouts(storeView);
    var load = new LoadHistory(limiter::rules);
    var log = new ShedLog(statsSettings.mask());
    limiter
        .signals()
        .listener(level -> {
          load.changed(System.currentTimeMillis(), level);
          log.onChange(level);
        });
    this.quotas = new EnvoyQuotas(limiter, grpc.quotas());
    this.statsHandlers =
        new StatsHandlers(
            stats.collector(),
            stats.callers(),
            limiter,
            load,
            repository,
            settings.access(),
            readiness,
            store.times(),
            quotas::stats,
            stats.instance(),
            statsSettings.mask());
    this.simulations = new SimulationExecutor(new RecentTraffic(settings.eventLoops(), ticker));
    this.tracing = Tracing.of(settings.traces(), stats.instance());
    this.connectionLimiter =
        new ConnectionLimiter(settings.connections(), settings.proxies(), MemoryBudget.ofHeap());
    budgets.addAll(connectionLimiter.budgets());
    budgets.addAll(quotas.budgets());
    budgets.addAll(
        List.of(statsHandlers.streamBudget(), simulations.budget(), LargeTaskExecutor.budget()));
    stats.logBudgets(this::budgets);
    this.metrics =
        new Metrics(
            limiter,
            repository,
            store,
            quotas::stats,
            BUILT_IN_RULES,
            connectionLimiter::openConnections,
            this::budgets,
            settings.eventLoops());
    this.listeners =
        List.of(
            metrics::listener,
            this::recentCallersListener,
            this::statsListener,
            () -> simulations.traffic().ring());
    // No files are served, so Vert.x needs no cache directory.
    var noFiles =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    this.transport = LimitingTransport.best(connectionLimiter);
    this.vertx =
        Vertx.builder()
            .withTransport(transport)
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(settings.eventLoops())
                    .setMaxEventLoopExecuteTime(BLOCKED.toNanos())
                    .setWorkerPoolSize(1)
                    .setInternalBlockingPoolSize(1)
                    .setFileSystemOptions(noFiles))
            .build();
    vertx.setPeriodic(EnvoyQuotas.TICK_MILLIS, ticked -> quotas.tick());
  }

  /**
   * Starts a service with default gRPC and statistics settings, and returns when it accepts
   * connections.
   *
   * @throws IOException if it can't listen on the address, or the TLS files can't be used
   */
  public static Service start(
      ServiceSettings settings, RateLimiter limiter, RuleRepository repository, Ticker ticker)
      throws IOException, InterruptedException {
    return start(settings, GrpcSettings.DEFAULT, limiter, repository, new StoreMetrics(), ticker);
  }

  /**
   * Starts a service with the given gRPC settings.
   *
   * @param limiter enforces the rules of the repository from now on
   * @param store metrics of the limiter's store; registered as its listener
   * @throws IOException if it can't listen on the address, or the TLS files can't be used
   */
  public static Service start(
      ServiceSettings settings,
      GrpcSettings grpc,
      RateLimiter limiter,
      RuleRepository repository,
      StoreMetrics store,
      Ticker ticker)
      throws IOException, InterruptedException {
    return start(settings, grpc, StatsSettings.DEFAULT, limiter, repository, store, ticker);
  }

  /**
   * Starts a service with the given gRPC and statistics settings.
   *
   * @param limiter enforces the rules of the repository from now on
   * @param store metrics of the limiter's store; registered as its listener
   * @throws IOException if it can't listen on the address, or the TLS files can't be used
   */
  public static Service start(
      ServiceSettings settings,
      GrpcSettings grpc,
      StatsSettings statsSettings,
      RateLimiter limiter,
      RuleRepository repository,
      StoreMetrics store,
      Ticker ticker)
      throws IOException, InterruptedException {
    var rules = EnforcedRules.of(limiter, repository);
    return start(settings, grpc, statsSettings, rules, store, ticker);
  }

  /**
   * Opens the rules, puts them into force and starts a service, which owns the store from now on.
   *
   * @param store is closed with the service, and if this method fails
   * @param metrics metrics of the store; registered as its listener
   * @throws IOException if it can't listen on the address, or the TLS files can't be used
   * @throws RuleRepositoryException.Unavailable if the rules can't be loaded
   */
  public static Service start(
      ServiceSettings settings,
      GrpcSettings grpc,
      StatsSettings statsSettings,
      Store store,
      RuleSource source,
      StoreMetrics metrics,
      Ticker ticker)
      throws IOException, InterruptedException {
    var rules = EnforcedRules.open(source, store, ticker);
    return start(settings, grpc, statsSettings, rules, metrics, ticker);
  }

  private static Service start(
      ServiceSettings settings,
      GrpcSettings grpc,
      StatsSettings statsSettings,
      EnforcedRules rules,
      StoreMetrics store,
      Ticker ticker)
      throws IOException, InterruptedException {
    var service = new Service(settings, grpc, statsSettings, rules, store, ticker);
    try {
      service.watchCertificates();
      service.listen(ticker);
      service.stats.start();
      service.readiness.watchdog().start();
      return service;
    } catch (IOException | IllegalArgumentException e) {
      service.abort();
      throw StartCheck.cannotServeTls(e);
    } catch (ExecutionException e) {
      service.abort();
      throw StartCheck.cannotListen(settings, reason(e), e);
    }
  }

  private void abort() {
    certificates.ifPresent(FileWatcher::close);
    stats.close();
    metrics.close();
    tracing.close(Duration.ZERO);
    vertx.close();
    rules.close();
  }

  private void watchCertificates() throws IOException {
    if (settings.tls().isEmpty()) return;
    var files = settings.tls().get();
    certificates =
        Optional.of(
            FileWatcher.watch(
                "the TLS certificate",
                files.all(),
                POLL_INTERVAL,
                () -> reloadCertificates(files)));
  }

  /** Uses the files for new connections. Open connections keep their certificates. */
  private void reloadCertificates(TlsFiles files) throws IOException {
    var material = files.read();
    options = ServerOptions.tls(material, files.clientsRequired());
    var changed = ServerOptions.changed(material, files.clientsRequired());
    try {
      for (var server : servers) get(server.updateSSLOptions(changed));
    } catch (ExecutionException e) {
      throw new IOException(reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the service is stopping
    }
  }

  private static String reason(ExecutionException e) {
    var cause = e.getCause() == null ? e : e.getCause();
    return SYSTEM_CALL.matcher(String.valueOf(cause.getMessage())).replaceFirst("");
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
      var listener = DecisionListener.all(listeners.stream().map(Supplier::get).toList());
      var costs = new CostCheck(limiter, settings.strictCosts(), metrics.unusedCosts());
      var checkService = new CheckService(vertx, limiter, listener, costs);
      var connections = trackConnections();
      var http =
          new HttpApi(
              vertx,
              checkService,
              limiter,
              repository,
              callers,
              new SharedViews(metrics, statsHandlers, simulations, tracing),
              ticker,
              settings.access(),
              settings.proxies(),
              connections,
              readiness);
      var calls =
          new GrpcApi(
              vertx,
              checkService,
              quotas,
              ticker,
              settings.access(),
              readiness,
              grpc,
              tracing,
              connections,
              metrics.unansweredCalls());
      budgets.add(calls.budget());
      var server =
          new RequestDispatcher(connections, http, calls).install(vertx.createHttpServer(options));
      servers.add(server);
      // -1 makes Vert.x choose one port and share it between all event loops.
      return server.listen(settings.port() == 0 ? -1 : settings.port(), settings.address());
    }

    private ConnectionTracker trackConnections() {
      var limits = connectionLimiter.limits();
      var connections =
          new ConnectionTracker(limits, connectionLimiter.budget(), settings.eventLoops());
      vertx.setPeriodic(limits.tickMillis(), ticked -> connections.tick());
      var loop = vertx.getOrCreateContext();
      readiness.watchdog().watch(loop);
      goAways.add(() -> onLoop(loop, connections::goAway));
      return connections;
    }
  }

  private DecisionListener recentCallersListener() {
    var recorder = callers.recorder();
    return (request, result, nanos) -> recorder.record(request.subject());
  }

  private DecisionListener statsListener() {
    return stats.listener(vertx);
  }

  private List<Budget> budgets() {
    var all = new ArrayList<>(budgets);
    all.addAll(limiter.reservations().budgets());
    return all;
  }

  /** Returns the port that the service listens on, the chosen one if the settings have 0. */
  public int port() {
    return servers.getFirst().actualPort();
  }

  /** Returns the repository whose rules are in force. */
  public RuleRepository repository() {
    return repository;
  }

  /** Returns whether a native transport (epoll, kqueue) is used rather than NIO. */
  public boolean isNative() {
    return transport.isNative();
  }

  /**
   * Stops gracefully, within the shutdown grace of the settings. A second call does nothing. The
   * steps:
   *
   * <ol>
   *   <li>Readiness turns false, and HTTP/1.1 responses carry {@code Connection: close}. Requests
   *       and connections are otherwise served as before for the drain delay.
   *   <li>HTTP/2 connections get a GOAWAY that rejects no stream, and a second one that names the
   *       last stream when the client has acknowledged the first, so that no call in transit is
   *       lost.
   *   <li>New connections are rejected, accepted requests are completed, and connections close.
   * </ol>
   */
  @Override
  public void close() {
    if (!readiness.stop()) return;
    readiness.watchdog().close();
    certificates.ifPresent(FileWatcher::close);
    rules.stopWatching();
    long since = System.nanoTime();
    try (rules;
        metrics) {
      var grace = settings.shutdownGrace();
      var delay = settings.drainDelay();
      var drain = delay.compareTo(grace) < 0 ? delay : grace;
      get(vertx.timer(Math.max(1, drain.toMillis()), TimeUnit.MILLISECONDS));
      long acknowledgement =
          Math.clamp(grace.toMillis() / GOAWAY_PART, MIN_GOAWAY_MILLIS, MAX_GOAWAY_MILLIS);
      get(Future.any(goAway(), vertx.timer(acknowledgement, TimeUnit.MILLISECONDS)));
      long rest = Math.max(1, grace.minusNanos(System.nanoTime() - since).toMillis());
      var stopped =
          servers.stream().map(server -> server.shutdown(rest, TimeUnit.MILLISECONDS)).toList();
      get(Future.join(stopped));
      stats.close();
      get(vertx.close());
      tracing.close(grace.minusNanos(System.nanoTime() - since));
    } catch (ExecutionException e) {
      throw new IllegalStateException("the service did not stop gracefully", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      vertx.close();
    }
  }

  /** Completes when every HTTP/2 client has acknowledged its GOAWAY. */
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
