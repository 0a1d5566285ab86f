package io.headgate.internal.outage;

import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Probes the store in virtual time, with the pauses of {@link BackgroundProber}. */
public final class VirtualProber implements ProbeSchedule {
  /** Schedules actions in virtual time. */
  public interface Timer {
    void after(long micros, Runnable action);
  }

  private final Timer timer;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final Supplier<CompletionStage<?>> probe;
  private final Consumer<Throwable> onFailure;
  private long dueAt;
  private boolean probing;
  private boolean ended;

  private VirtualProber(
      Timer timer,
      Ticker ticker,
      RandomGenerator random,
      Supplier<CompletionStage<?>> probe,
      Consumer<Throwable> onFailure) {
    this.timer = timer;
    this.ticker = ticker;
    this.random = random;
    this.probe = probe;
    this.onFailure = onFailure;
  }

  /** Creates a store with its circuit breaker and failure policies, without threads. */
  public static CircuitBreakingStore around(
      Store remote,
      Ticker ticker,
      IntSupplier instances,
      MemoryStore local,
      LastAnswers answers,
      OutageListener listener,
      Reporter reporter,
      Timer timer,
      RandomGenerator random,
      Supplier<CompletionStage<?>> probe) {
    return new CircuitBreakingStore(
        remote,
        ticker,
        instances,
        local,
        listener,
        LocalAdmissions.forTesting(local, reporter, ticker),
        answers,
        onFailure -> new VirtualProber(timer, ticker, random, probe, onFailure));
  }

  @Override
  public void start(LongSupplier deadline, Runnable onSuccess) {
    if (probing) return;
    probing = true;
    probeLater(0, onSuccess);
  }

  private void probeLater(int before, Runnable onSuccess) {
    if (ended) return;
    long pause = BackgroundProber.pause(before, random);
    dueAt = ticker.micros() + pause;
    timer.after(pause, () -> probe(before, onSuccess));
  }

  private void probe(int before, Runnable onSuccess) {
    if (ended) return;
    probe
        .get()
        .whenComplete((done, problem) -> {
          if (ended) return;
          if (problem == null) {
            probing = false;
            onSuccess.run();
          } else {
            onFailure.accept(problem);
            probeLater(before + 1, onSuccess);
          }
        });
  }

  @Override
  public void end() {
    ended = true;
  }

  @Override
  public long dueAt() {
    return dueAt;
  }
}
