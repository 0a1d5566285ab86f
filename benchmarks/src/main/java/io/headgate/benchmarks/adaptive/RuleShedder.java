package io.headgate.benchmarks.adaptive;

import io.headgate.RateLimiter;
import io.headgate.limit.Shed;
import io.headgate.load.LoadSignal;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Counter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.BackendLevel;
import io.headgate.store.ForwardingStore;
import io.headgate.store.LoadReading;
import io.headgate.store.MemorySignalStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import io.headgate.store.Ticker;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Headgate's load shedding: a limiter with one rule, which receives the reports of the server. The
 * priorities of the plant are those of the rule.
 */
final class RuleShedder implements AdmissionPolicy {
  private static final Subject BACKEND = Subject.of("backend", "b");
  private static final String[] PRIORITIES = {"0", "1", "2"};
  private static final long SYNC_MICROS = 500_000;
  private static final int MAX_COUNTERS = 16;

  private final RateLimiter limiter;
  private long now;
  private long syncedAt;

  RuleShedder(SignalKind signal, double target) {
    Ticker ticker = () -> now;
    var policy =
        ShedPolicy.of(signal, target).withPriorities("priority", PRIORITIES).withCallers("caller");
    var rule = Rule.named("shed").match("backend", "*").limit(new Shed(policy)).build();
    limiter = RateLimiter.with(new SeededStore(ticker), RuleSet.of(rule), ticker);
  }

  /** A memory store whose selection of callers does not differ between runs. */
  private static final class SeededStore extends ForwardingStore {
    private static final long SEED = 20_261_117;
    private final SignalStore signals;

    SeededStore(Ticker ticker) {
      super(MemoryStore.create(ticker, MAX_COUNTERS));
      signals = new MemorySignalStore(ticker);
    }

    @Override
    public Optional<SignalStore> signals() {
      return Optional.of(
          new SignalStore() {
            @Override
            public CompletionStage<LoadReading> report(SignalReport report) {
              return signals.report(
                  new SignalReport(
                      report.counter(),
                      report.key(),
                      report.setpoint(),
                      report.reporter(),
                      report.value(),
                      report.weight(),
                      SEED));
            }

            @Override
            public CompletionStage<LoadReading> read(Counter counter, String key) {
              return signals.read(counter, key);
            }
          });
    }
  }

  @Override
  public boolean admits(Plant.Tenant sender, int tenant, int caller, long time, int inFlight) {
    now = time;
    if (now - syncedAt >= SYNC_MICROS) {
      syncedAt = now;
      limiter.signals().sync().join();
    }
    var subject =
        Subject.of(
            Map.of(
                "backend",
                "b",
                "priority",
                PRIORITIES[sender.priority()],
                "caller",
                tenant + "-" + caller));
    return limiter.check(subject).isAllowed();
  }

  /** Returns the share of the requests that is dropped. */
  double level() {
    return limiter.signals().levels().stream().mapToDouble(BackendLevel::level).max().orElse(0);
  }

  @Override
  public void reported(long time, LoadSignal signal) {
    now = time;
    limiter.signals().report(BACKEND, "server", signal);
  }
}
