package io.headgate.grpc;

import io.headgate.RateLimiter;
import io.headgate.rule.Rule;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.stats.StatsSettings;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.time.Duration;

/** A real Headgate service on a port of its own, in memory. */
final class LimitService implements AutoCloseable {
  private final RateLimiter limiter;
  private final Service service;

  LimitService(Rule... rules) throws IOException, InterruptedException {
    limiter = RateLimiter.inMemory(rules);
    service =
        Service.start(
            new ServiceSettings(
                "127.0.0.1", 0, AccessControl.OPEN, Duration.ofMinutes(1), Duration.ZERO, 1),
            GrpcSettings.DEFAULT,
            StatsSettings.DEFAULT,
            limiter,
            InMemoryRuleRepository.of(limiter.rules()),
            new StoreMetrics(),
            Ticker.system());
  }

  String url() {
    return "http://127.0.0.1:" + service.port();
  }

  @Override
  public void close() {
    service.close();
    limiter.close();
  }
}
