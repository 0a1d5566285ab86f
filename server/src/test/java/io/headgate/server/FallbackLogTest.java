package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.stats.FallbackStats;
import io.headgate.server.store.StoreView;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FallbackLogTest {
  private static final long START = 1_789_300_800_000L;

  private final Logger logger = new LoggerContext().getLogger("test");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final MemoryStore store = MemoryStore.create();
  private final RuleSet rules =
      RuleSet.of(
          rule("a", new FailurePolicy.Allow()),
          rule("b", new FailurePolicy.Local()),
          rule("c", new FailurePolicy.Allow()));
  private final FallbackLog log =
      new FallbackLog(new StoreView(store), () -> rules, Duration.ofMillis(15), logger);

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    lines.start();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Rule rule(String id, FailurePolicy policy) {
    return Rule.named(id).onStoreFailure(policy).limit(FixedWindow.of(Rate.perHour(1))).build();
  }

  private List<String> logged() {
    return lines.list.stream().map(e -> e.getLevel() + " " + e.getFormattedMessage()).toList();
  }

  @Test
  void uncountedChecksAreLoggedOnceAMinuteWithTheRulesThatFailOpen() {
    log.onSecond(START, FallbackStats.NONE);
    log.onSecond(START + 1_000, new FallbackStats(START, 5, 0)); // decided locally
    assertThat(logged()).isEmpty();
    log.onSecond(START + 2_000, new FallbackStats(START, 9, 1));
    log.onSecond(START + 3_000, new FallbackStats(START, 20, 7));
    log.onSecond(START + 62_000, new FallbackStats(START, 9_000, 4_000));
    log.onSecond(START + 122_000, new FallbackStats(START, 9_000, 4_000)); // no more
    log.onSecond(START + 130_000, FallbackStats.NONE);
    log.onSecond(START + 131_000, FallbackStats.NONE);
    assertThat(logged())
        .containsExactly(
            "WARN 1 check passed uncounted since 2026-09-13T12:00:00Z, because the store did not"
                + " decide (no reply). Rules that fail open: a, c. Set on-store-failure: local"
                + " to enforce them meanwhile.",
            "WARN 4,000 checks passed uncounted since 2026-09-13T12:00:00Z, because the store did"
                + " not decide (no reply). Rules that fail open: a, c. Set on-store-failure:"
                + " local to enforce them meanwhile.",
            "INFO the store decides all checks again; 4,000 checks passed uncounted in all");
  }

  @Test
  void adviceNamesTheOptionOfTheStoreAndThatOfGrpc() {
    var fifty = Duration.ofMillis(50);
    var fifteen = Duration.ofMillis(15);
    assertThat(FallbackLog.timeoutAdvice("redis", fifty, fifteen))
        .contains(
            "--store-timeout (now 50 ms)", "--grpc-deadline (now 15 ms) for checks over gRPC");
    assertThat(FallbackLog.timeoutAdvice("cluster", Duration.ofMillis(250), fifteen))
        .contains("--cluster-timeout (now 250 ms)", "--grpc-deadline (now 15 ms)")
        .doesNotContain("--store-timeout");
  }
}
