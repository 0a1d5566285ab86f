package io.headgate.server.cli;

import io.headgate.RateLimiter;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A running service with a few rules, and a shell with or without a terminal. */
abstract class RunningRules extends Shell {
  static final String RULES =
      """
      rules:
        - id: per-user
          description: Everybody's share.
          match: { key: "user:*" }
          limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
          overrides:
            - { match: { key: "user:42" }, limit: { algorithm: fixed-window, rate: 5/1h } }
        - id: contract
          match: { tenant: [acme, "b*"], path: /x }
          limits:
            - { name: calls, algorithm: fixed-window, rate: 10/1h }
            - { name: bytes, algorithm: fixed-window, rate: 1000/1h, cost: bytes }
        - id: team/jobs
          mode: shadow
          fallback: true
          limit: { algorithm: concurrency, max: 2 }
      """;

  final RateLimiter limiter;
  final InMemoryRuleRepository repository;
  Service service;

  RunningRules() {
    this(RULES, 0);
  }

  /**
   * @param now the constant time of its clock, in microseconds since the epoch
   */
  RunningRules(String rules, long now) {
    limiter =
        RateLimiter.with(
            MemoryStore.create(() -> now, 1_000), RuleSet.of(RuleFile.read(rules)), () -> now);
    repository = InMemoryRuleRepository.of(limiter.rules());
  }

  @BeforeEach
  void start() throws Exception {
    serve(AccessControl.OPEN);
  }

  void serve(AccessControl access) throws Exception {
    var settings =
        new ServiceSettings("127.0.0.1", 0, access, Duration.ofMinutes(1), Duration.ZERO, 1);
    service = Service.start(settings, limiter, repository, Ticker.system());
    environment.put("HEADGATE_URL", "http://127.0.0.1:" + service.port());
  }

  @AfterEach
  void stop() {
    service.close();
    limiter.close();
  }

  void write(String text) {
    try {
      Files.writeString(folder.resolve("rules.yaml"), text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static String withoutColours(String text) {
    return text.replaceAll("\033\\[\\d*m", "");
  }
}
