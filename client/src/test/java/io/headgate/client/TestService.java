package io.headgate.client;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
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
import io.headgate.testkit.net.TestCertificates;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A real service on a port of its own, in memory. */
public final class TestService implements AutoCloseable {
  private final RateLimiter limiter;
  private final Service service;

  private TestService(AccessControl access, Rule... rules) {
    this(
        new ServiceSettings("127.0.0.1", 0, access, Duration.ofMinutes(1), Duration.ZERO, 1),
        rules);
  }

  private TestService(ServiceSettings settings, Rule... rules) {
    this(settings, MemoryStore.create(), rules);
  }

  private TestService(ServiceSettings settings, Store store, Rule... rules) {
    limiter = RateLimiter.with(store, RuleSet.of(rules));
    try {
      service =
          Service.start(
              settings,
              GrpcSettings.DEFAULT,
              StatsSettings.DEFAULT,
              limiter,
              InMemoryRuleRepository.of(limiter.rules()),
              new StoreMetrics(),
              Ticker.system());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public static TestService with(Rule... rules) {
    return new TestService(AccessControl.OPEN, rules);
  }

  /**
   * Starts a service over a store.
   *
   * @param port the port; 0 for any
   */
  static TestService over(Store store, int port, Rule... rules) {
    var access = AccessControl.OPEN;
    return new TestService(
        new ServiceSettings("127.0.0.1", port, access, Duration.ofMinutes(1), Duration.ZERO, 1),
        store,
        rules);
  }

  /** Starts a service that requires a check token. */
  static TestService withToken(String token, Rule... rules) {
    return new TestService(
        new AccessControl(Optional.of("admin-" + token), Optional.of(token)), rules);
  }

  /** Starts a service with TLS. */
  static TestService withTls(TestCertificates certificates, Rule... rules) {
    var files =
        new TlsFiles(certificates.certificate(), certificates.key(), Optional.empty(), false);
    return new TestService(
        new ServiceSettings(
            "127.0.0.1",
            0,
            AccessControl.OPEN,
            ConnectionLimits.DEFAULT,
            TrustedProxies.NONE,
            Optional.of(files),
            Duration.ZERO,
            1),
        rules);
  }

  public int port() {
    return service.port();
  }

  public String url() {
    return "http://127.0.0.1:" + port();
  }

  RateLimiter limiter() {
    return limiter;
  }

  @Override
  public void close() {
    service.close();
    limiter.close();
  }
}
