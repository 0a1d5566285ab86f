package io.headgate.spring.app;

import io.headgate.RateLimiter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.stats.StatsSettings;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A real Headgate service on a port of its own, with the check token {@link #TOKEN}. */
public final class RunningHeadgate implements AutoCloseable {
  public static final String TOKEN = "check-token-of-the-test";

  private final RateLimiter limiter;
  private final Service service;

  public RunningHeadgate(Rule... rules) {
    limiter = RateLimiter.with(MemoryStore.create(), RuleSet.of(rules));
    var access = new AccessControl(Optional.of("admin-" + TOKEN), Optional.of(TOKEN));
    var settings =
        new ServiceSettings("127.0.0.1", 0, access, Duration.ofMinutes(1), Duration.ZERO, 1);
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

  public String url() {
    return "http://127.0.0.1:" + service.port();
  }

  /** Returns the limiter of the service. */
  public RateLimiter limiter() {
    return limiter;
  }

  @Override
  public void close() {
    service.close();
    limiter.close();
  }
}
