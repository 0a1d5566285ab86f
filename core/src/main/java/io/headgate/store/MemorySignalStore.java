package io.headgate.store;

import io.headgate.load.ShedController;
import io.headgate.load.ShedState;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stores the load of backends in the memory of this JVM.
 *
 * <p>Holds at most {@link #MAX_BACKENDS}. When it is full, states without a recent report are
 * removed; if there is none, reports of further backends have no effect. Thread-safe.
 */
public final class MemorySignalStore implements SignalStore {
  /** The highest number of backends. */
  static final int MAX_BACKENDS = 10_000;

  /** How long a state remains without a report. */
  static final long EXPIRY_MICROS = 60_000_000;

  private final Ticker ticker;
  private final Map<Backend, ShedState> states = new ConcurrentHashMap<>();

  /** Creates a store with the given clock. */
  public MemorySignalStore(Ticker ticker) {
    this.ticker = ticker;
  }

  private record Backend(Counter counter, String key) {
    /** A keyed hash, since callers choose keys. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  @Override
  public CompletionStage<LoadReading> report(SignalReport report) {
    long now = ticker.micros();
    var backend = new Backend(report.counter(), report.key());
    if (states.size() >= MAX_BACKENDS && !states.containsKey(backend)) {
      states.values().removeIf(state -> isExpired(state, now));
      if (states.size() >= MAX_BACKENDS) {
        return CompletableFuture.completedFuture(LoadReading.NONE);
      }
    }
    var next =
        states.compute(
            backend,
            (same, state) ->
                ShedController.report(
                    report.setpoint(),
                    state == null || isExpired(state, now) ? ShedState.FRESH : state,
                    now,
                    report.reporter(),
                    report.value(),
                    report.weight(),
                    report.seed()));
    return CompletableFuture.completedFuture(LoadReading.of(next, now));
  }

  @Override
  public CompletionStage<LoadReading> read(Counter counter, String key) {
    long now = ticker.micros();
    var state = states.get(new Backend(counter, key));
    return CompletableFuture.completedFuture(
        state == null || isExpired(state, now) ? LoadReading.NONE : LoadReading.of(state, now));
  }

  private static boolean isExpired(ShedState state, long now) {
    return now - state.at() > EXPIRY_MICROS;
  }
}
