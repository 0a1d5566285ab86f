package io.headgate.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OutageLogTest {
  private final Logger logger = new LoggerContext().getLogger("test");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong();
  private final Queue<Runnable> later = new ArrayDeque<>();
  private final OutageLog log = new OutageLog("Redis at h:1", logger, nanos::get, later::add);

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    lines.start();
  }

  private List<String> logged() {
    return lines.list.stream().map(e -> e.getLevel() + " " + e.getFormattedMessage()).toList();
  }

  @Test
  void eachOutageAndEachRecoveryIsOneLine() {
    log.opened("connection: refused");
    log.closed(3_000_000);
    nanos.addAndGet(OutageLog.QUIET.toNanos());
    log.opened("timeout: late");
    log.closed(12_345_678);
    assertThat(logged())
        .containsExactly(
            "WARN Redis at h:1 can't be reached: connection: refused;"
                + " decisions use each rule's on-store-failure policy until it recovers",
            "INFO Redis at h:1 is available after 3000 ms; decisions use it again",
            "WARN Redis at h:1 is unavailable: timeout: late;"
                + " decisions use each rule's on-store-failure policy until it recovers",
            "INFO Redis at h:1 is available again after 12345 ms; decisions use it again");
  }

  @Test
  void problemOfSeveralLinesIsJoinedIntoOne() {
    log.opened("no partitions\n\nDetails:\n\tnone\n");
    assertThat(logged().getFirst()).contains(": no partitions Details: none;");
  }

  @Test
  void flappingStoreIsLoggedOncePerQuietPeriod() {
    log.reached();
    for (int i = 0; i < 100; i++) {
      log.opened("timeout: late");
      log.closed(100_000);
    }
    assertThat(logged()).hasSize(2);
    nanos.addAndGet(OutageLog.QUIET.toNanos());
    log.opened("timeout: late");
    assertThat(logged().getLast()).contains("is unavailable (100 outages since the last message)");
    assertThat(later).hasSize(1);
  }

  @Test
  void outageDuringTheQuietPeriodIsLoggedAtItsEnd() {
    log.reached();
    log.opened("first");
    log.closed(100_000);
    log.opened("second");
    assertThat(logged()).hasSize(2);
    nanos.addAndGet(OutageLog.QUIET.toNanos());
    later.remove().run();
    assertThat(logged().getLast()).startsWith("WARN Redis at h:1 is unavailable: second;");
    log.closed(20_000_000);
    assertThat(logged().getLast())
        .startsWith("INFO Redis at h:1 is available again after 20000 ms");
  }
}
