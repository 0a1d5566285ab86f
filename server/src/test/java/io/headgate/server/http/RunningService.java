package io.headgate.server.http;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.stats.StatsSettings;
import io.headgate.server.tls.TlsFiles;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A real service on an ephemeral port, with a clock that only the test advances. */
public final class RunningService implements AutoCloseable {
  /** A Sunday at noon. */
  static final long START = 1_789_300_800_000_000L;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  public final AtomicLong clock = new AtomicLong(START);
  public final RateLimiter limiter;
  public final InMemoryRuleRepository repository;
  private final Service service;

  private RunningService(AccessControl access, Duration idle, Duration grace, Rule... rules) {
    this(new ServiceSettings("127.0.0.1", 0, access, idle, grace, 2), rules);
  }

  private RunningService(ServiceSettings settings, Rule... rules) {
    Ticker ticker = clock::get;
    this.limiter = RateLimiter.with(MemoryStore.create(ticker, 10_000), RuleSet.of(rules), ticker);
    this.repository = InMemoryRuleRepository.of(limiter.rules());
    this.service = serve(settings, new StoreMetrics(), ticker);
  }

  private RunningService(Store store, StoreMetrics counts, Rule... rules) {
    this.limiter = RateLimiter.with(store, RuleSet.of(rules));
    var settings =
        new ServiceSettings("127.0.0.1", 0, AccessControl.OPEN, MINUTE, Duration.ZERO, 1);
    this.repository = InMemoryRuleRepository.of(limiter.rules());
    this.service = serve(settings, counts, Ticker.system());
  }

  /** Starts a service over a store, with the system clock and one event loop. */
  public static RunningService over(Store store, Rule... rules) {
    return over(store, new StoreMetrics(), rules);
  }

  /**
   * @param counts the metrics of the store
   */
  static RunningService over(Store store, StoreMetrics counts, Rule... rules) {
    return new RunningService(store, counts, rules);
  }

  private RunningService(ServiceSettings settings, StatsSettings stats, Rule... rules) {
    Ticker ticker = clock::get;
    this.limiter = RateLimiter.with(MemoryStore.create(ticker, 10_000), RuleSet.of(rules), ticker);
    this.repository = InMemoryRuleRepository.of(limiter.rules());
    this.service = serve(settings, stats, new StoreMetrics(), ticker);
  }

  /** Starts a service with statistics settings. */
  public static RunningService withStats(AccessControl access, StatsSettings stats, Rule... rules) {
    return new RunningService(
        settings(access, ConnectionLimits.DEFAULT, TrustedProxies.NONE, Optional.empty()),
        stats,
        rules);
  }

  private Service serve(ServiceSettings settings, StoreMetrics counts, Ticker ticker) {
    return serve(settings, StatsSettings.DEFAULT, counts, ticker);
  }

  private Service serve(
      ServiceSettings settings, StatsSettings stats, StoreMetrics counts, Ticker ticker) {
    try {
      return Service.start(
          settings, GrpcSettings.DEFAULT, stats, limiter, repository, counts, ticker);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public static RunningService with(Rule... rules) {
    return new RunningService(AccessControl.OPEN, MINUTE, Duration.ZERO, rules);
  }

  public static RunningService withAccess(AccessControl access, Rule... rules) {
    return new RunningService(access, MINUTE, Duration.ZERO, rules);
  }

  /** Starts a service behind trusted proxies. */
  public static RunningService behind(TrustedProxies proxies, Rule... rules) {
    return new RunningService(
        settings(AccessControl.OPEN, ConnectionLimits.DEFAULT, proxies, Optional.empty()), rules);
  }

  static RunningService limiting(ConnectionLimits limits, Rule... rules) {
    return new RunningService(
        settings(AccessControl.OPEN, limits, TrustedProxies.NONE, Optional.empty()), rules);
  }

  static RunningService withTls(TlsFiles files, Rule... rules) {
    return new RunningService(
        settings(
            AccessControl.OPEN, ConnectionLimits.DEFAULT, TrustedProxies.NONE, Optional.of(files)),
        rules);
  }

  private static ServiceSettings settings(
      AccessControl access,
      ConnectionLimits limits,
      TrustedProxies proxies,
      Optional<TlsFiles> tls) {
    return new ServiceSettings("127.0.0.1", 0, access, limits, proxies, tls, Duration.ZERO, 2);
  }

  static RunningService withIdleTimeout(Duration idle, Rule... rules) {
    return new RunningService(AccessControl.OPEN, idle, Duration.ZERO, rules);
  }

  static RunningService withGrace(Duration grace, Rule... rules) {
    return new RunningService(AccessControl.OPEN, MINUTE, grace, rules);
  }

  public static RunningService withTokens(String admin, String check, Rule... rules) {
    var access =
        new AccessControl(
            Optional.of(admin).filter(token -> !token.isEmpty()),
            Optional.of(check).filter(token -> !token.isEmpty()));
    return new RunningService(access, MINUTE, Duration.ZERO, rules);
  }

  public int port() {
    return service.port();
  }

  public RawConnection connect() {
    return new RawConnection(port());
  }

  /** Sends one request on a connection of its own. */
  public RawAnswer post(String path, String body, String... headers) {
    try (var connection = connect()) {
      return connection.post(path, body, headers);
    }
  }

  public RawAnswer request(String method, String path, String... headers) {
    try (var connection = connect()) {
      return connection.request(method, path, headers);
    }
  }

  public void reset(String key, Rule rule) {
    limiter.reset(Subject.of(key), rule.id());
  }

  public void reset(Map<String, String> attributes, Rule rule) {
    limiter.reset(Subject.of(attributes), rule.id());
  }

  void stop() {
    service.close();
  }

  @Override
  public void close() {
    service.close();
    limiter.close();
  }
}
