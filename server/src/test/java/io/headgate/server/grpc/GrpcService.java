package io.headgate.server.grpc;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.quota.QuotaSettings;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A running service on an ephemeral port, with a client that behaves like Envoy. */
final class GrpcService implements AutoCloseable {
  /** A Sunday noon. */
  static final long START = 1_789_300_800_000_000L;

  private static final Duration GRACE = Duration.ofSeconds(2);

  final RateLimiter limiter;
  final EnvoyClient envoy;
  private final Service service;

  private GrpcService(
      Store store, Ticker ticker, ServiceSettings settings, GrpcSettings grpc, List<Rule> rules)
      throws IOException, InterruptedException {
    this.limiter = RateLimiter.with(store, RuleSet.of(rules), ticker);
    var repository = InMemoryRuleRepository.of(limiter.rules());
    this.service = Service.start(settings, grpc, limiter, repository, new StoreMetrics(), ticker);
    this.envoy = EnvoyClient.of(service.port());
  }

  /** Starts a service with a memory store and a manual clock. */
  static GrpcService with(Rule... rules) {
    return with(AccessControl.OPEN, rules);
  }

  static GrpcService with(AccessControl access, Rule... rules) {
    return inMemory(settings(access, ConnectionLimits.DEFAULT, GRACE), rules);
  }

  static GrpcService withGrace(Duration grace, Rule... rules) {
    return inMemory(settings(AccessControl.OPEN, ConnectionLimits.DEFAULT, grace), rules);
  }

  static GrpcService limiting(AccessControl access, ConnectionLimits limits, Rule... rules) {
    return inMemory(settings(access, limits, GRACE), rules);
  }

  private static GrpcService inMemory(ServiceSettings settings, Rule... rules) {
    var clock = new AtomicLong(START);
    return start(
        MemoryStore.create(clock::get, 10_000), clock::get, settings, GrpcSettings.DEFAULT, rules);
  }

  /** Starts a service with the system clock. */
  static GrpcService over(Store store, Duration deadline, Rule... rules) {
    var settings = settings(AccessControl.OPEN, ConnectionLimits.DEFAULT, GRACE);
    return start(store, Ticker.system(), settings, new GrpcSettings(deadline), rules);
  }

  /** Starts a service with the system clock and these quota assignments. */
  static GrpcService assigning(Store store, QuotaSettings quotas, Rule... rules) {
    var settings = settings(AccessControl.OPEN, ConnectionLimits.DEFAULT, GRACE);
    var grpc = new GrpcSettings(GrpcSettings.DEFAULT_DEADLINE, quotas);
    return start(store, Ticker.system(), settings, grpc, rules);
  }

  /** Starts a service with the system clock and the deadline of the store. */
  static GrpcService over(Store store, ConnectionLimits limits, Rule... rules) {
    var settings = settings(AccessControl.OPEN, limits, GRACE);
    return start(store, Ticker.system(), settings, GrpcSettings.DEFAULT, rules);
  }

  private static ServiceSettings settings(
      AccessControl access, ConnectionLimits limits, Duration grace) {
    return new ServiceSettings(
        "127.0.0.1", 0, access, limits, TrustedProxies.NONE, Optional.empty(), grace, 2);
  }

  private static GrpcService start(
      Store store, Ticker ticker, ServiceSettings settings, GrpcSettings grpc, Rule... rules) {
    try {
      return new GrpcService(store, ticker, settings, grpc, List.of(rules));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  int port() {
    return service.port();
  }

  void stop() {
    service.close();
  }

  @Override
  public void close() {
    envoy.close();
    service.close();
    limiter.close();
  }
}
