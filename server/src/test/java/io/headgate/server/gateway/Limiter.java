package io.headgate.server.gateway;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A real service that allows each address three requests per hour, and denies /secret and /blocked.
 */
final class Limiter implements AutoCloseable {
  static final int MOST = 3;

  private static final Rule PER_IP =
      Rule.named("per-ip")
          .match("ip", "*")
          .limit(FixedWindow.of(Rate.of(MOST, Duration.ofHours(1))))
          .build();
  private static final Rule SECRET =
      Rule.named("secret")
          .match("path", "/secret")
          .property("status", "503")
          .limit(FixedWindow.of(Rate.of(1, Duration.ofHours(1))))
          .build();

  /** One an hour, and others wait: longer than any proxy does. */
  private static final Rule QUEUE =
      Rule.named("queue")
          .match("path", "/queue")
          .limit(LeakyBucket.of(Rate.of(1, Duration.ofHours(1))).withQueue(25))
          .build();

  private static final Rule BLOCKED =
      Rule.named("blocked").match("path", "/blocked").limit(new Deny()).build();

  private final RateLimiter limiter;
  private final Service service;

  Limiter() {
    this.limiter =
        RateLimiter.with(
            MemoryStore.create(Ticker.system(), 1_000), RuleSet.of(PER_IP, SECRET, QUEUE, BLOCKED));
    var settings =
        new ServiceSettings(
            "127.0.0.1",
            0,
            AccessControl.OPEN,
            ConnectionLimits.DEFAULT,
            TrustedProxies.of(List.of("127.0.0.1")),
            Optional.empty(),
            Duration.ZERO,
            1);
    var book = InMemoryRuleRepository.of(limiter.rules());
    try {
      this.service = Service.start(settings, limiter, book, Ticker.system());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  int port() {
    return service.port();
  }

  /** How often an address may still ask. */
  long left(String ip) {
    return limiter
        .peek(new Request(Subject.of("ip", ip), 0, Map.of()))
        .limit()
        .orElseThrow()
        .remaining();
  }

  void replaceRules(RuleSet rules) {
    limiter.replaceRules(rules);
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
