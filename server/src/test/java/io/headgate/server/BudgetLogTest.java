package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.store.Budget;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class BudgetLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(BudgetLogTest.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Budget one = new Budget("streams", 2, "close some");
  private final Budget other = new Budget("streams", 3, "close some");
  private final BudgetLog log = new BudgetLog(() -> List.of(one, other), logger);

  BudgetLogTest() {
    logger.setAdditive(false);
    logger.addAppender(lines);
    lines.start();
  }

  @AfterEach
  void detach() {
    logger.detachAppender(lines);
  }

  @Test
  void lastingRefusalsAreLoggedOnceAMinute() {
    long now = 1_000;
    log.onSecond(now);
    assertThat(lines.list).isEmpty();
    for (int i = 0; i < 4; i++) one.tryTake();
    for (int second = 0; second < 150; second++) {
      other.refuse();
      log.onSecond(now += 1_000);
    }
    assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
        .containsExactly(
            "refused 3 times because the budget streams was used up (2 of 5 are in use): close some",
            "refused 60 times because the budget streams was used up (2 of 5 are in use): close some",
            "refused 60 times because the budget streams was used up (2 of 5 are in use): close some");
    for (int second = 0; second < 300; second++) log.onSecond(now += 1_000);
    assertThat(lines.list).as("the rest, once").hasSize(4);
  }
}
