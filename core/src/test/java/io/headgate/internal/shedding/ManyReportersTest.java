package io.headgate.internal.shedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Shed;
import io.headgate.load.LoadSignal;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Counter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.LoadReading;
import io.headgate.store.MemorySignalStore;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import io.headgate.store.Ticker;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that the number of reporters and of backends bounds neither memory nor store calls. */
class ManyReportersTest {
  private static final Ticker CLOCK = () -> 1_767_225_600_000_000L;
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("shed")
              .match("backend", "*")
              .limit(new Shed(ShedPolicy.of(SignalKind.UTILIZATION, 0.8)))
              .build());

  private final MemorySignalStore store = new MemorySignalStore(CLOCK);
  private final AtomicInteger sent = new AtomicInteger();
  private final Shedder shedder =
      new Shedder(
          new SignalStore() {
            @Override
            public CompletionStage<LoadReading> report(SignalReport report) {
              sent.incrementAndGet();
              return store.report(report);
            }

            @Override
            public CompletionStage<LoadReading> read(Counter counter, String key) {
              return store.read(counter, key);
            }
          },
          CLOCK);

  @Test
  void tenThousandReportersBetweenTwoExchangesAreSixtyFourReports() {
    var backend = Subject.of("backend", "checkout");
    for (int i = 0; i < 10_000; i++) {
      int used = shedder.report(RULES, backend, "instance" + i, LoadSignal.ofUtilization(1));
      assertThat(used).isEqualTo(1);
    }
    shedder.flush().join();
    assertThat(sent).hasValue(64);
  }

  @Test
  void memoryStoreHoldsTenThousandBackendsAndIgnoresFurtherOnes() {
    assertThat(reading(9_999).reporters()).isEqualTo(1);
    for (int i = 0; i < 9_999; i++) reading(i);
    assertThat(reading(10_000)).isEqualTo(LoadReading.NONE);
    assertThat(reading(9_999).reporters()).isEqualTo(1);
  }

  private LoadReading reading(int backend) {
    var level = RULES.signalled(Subject.of("backend", "b" + backend)).getFirst();
    var setpoint = ShedPolicy.of(SignalKind.UTILIZATION, 0.8).setpoint();
    return store
        .report(new SignalReport(level.counter(), level.key(), setpoint, 1, 1, 1, 7))
        .toCompletableFuture()
        .join();
  }
}
