package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.server.store.LayoutCounts;
import io.headgate.server.store.StoreView;
import io.headgate.store.MemoryStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LayoutLogTest {
  private static final long START = 1_789_300_800_000L;
  private static final LayoutCounts SAME = new LayoutCounts(0, 2);
  private static final LayoutCounts MIXED = new LayoutCounts(1, 2);

  private final Logger logger = new LoggerContext().getLogger("test");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final MemoryStore store = MemoryStore.create();
  private final LayoutLog log = new LayoutLog(new StoreView(store), logger);

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

  private List<String> logged() {
    return lines.list.stream().map(e -> e.getLevel() + " " + e.getFormattedMessage()).toList();
  }

  @Test
  void restartWithAnotherLayoutIsNotLogged() {
    log.onSecond(START, MIXED);
    log.onSecond(START + 12_000, MIXED); // until Redis no longer counts the instance that ended
    log.onSecond(START + 13_000, SAME);
    log.onSecond(START + 20_000, MIXED);
    log.onSecond(START + 32_000, MIXED);
    log.onSecond(START + 33_000, SAME);
    assertThat(logged()).isEmpty();
  }

  @Test
  void differentLayoutsAreLoggedEveryTenMinutesUntilTheirEnd() {
    log.onSecond(START, MIXED);
    log.onSecond(START + LayoutLog.GRACE_MILLIS, MIXED);
    log.onSecond(START + LayoutLog.GRACE_MILLIS + 1_000, MIXED);
    log.onSecond(START + LayoutLog.GRACE_MILLIS + LayoutLog.INTERVAL_MILLIS, MIXED);
    log.onSecond(START + 2 * LayoutLog.INTERVAL_MILLIS, SAME);
    log.onSecond(START + 2 * LayoutLog.INTERVAL_MILLIS + 1_000, SAME);
    String warning =
        "WARN instances of the store have different layouts of keys (1 separate, 2 compact). They"
            + " count rules with several limits separately, and admit up to twice the limit"
            + " together. Restart all with the same --store-layout";
    assertThat(logged())
        .containsExactly(
            warning, warning, "INFO all instances of the store have the same layout of keys again");
  }
}
