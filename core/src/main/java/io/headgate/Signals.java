package io.headgate;

import io.headgate.RuleExplanation.Shedding;
import io.headgate.internal.shedding.Shedder;
import io.headgate.internal.shedding.SyncTimer;
import io.headgate.load.LoadSignal;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.BackendLevel;
import io.headgate.store.LevelListener;
import io.headgate.store.MemorySignalStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The load of backends: receives their signals, and returns the levels at which rules with {@code
 * shed} drop requests and the rates of limits with {@code adapt}.
 *
 * <p>Signals and levels are exchanged with the store in the background, twice a second and shortly
 * after a report, so that all instances agree within a second. A limiter whose clock is not the
 * system's has no background thread: it sends each signal at once, and reads the levels that other
 * instances report with {@link #sync} only. Thread-safe.
 */
public final class Signals implements AutoCloseable {
  private final Shedder shedder;
  private final Supplier<RuleSet> rules;
  private final SyncTimer timer;
  private final boolean background;
  private final String instance = UUID.randomUUID().toString();

  Signals(Store store, Supplier<RuleSet> rules, Ticker ticker) {
    this.shedder =
        new Shedder(store.signals().orElseGet(() -> new MemorySignalStore(ticker)), ticker);
    this.rules = rules;
    this.timer = new SyncTimer(shedder);
    this.background = ticker.equals(Ticker.system());
  }

  /**
   * Reports the load of a backend in the name of this limiter, as {@link #report(Subject, String,
   * LoadSignal)} does.
   */
  public int report(Subject backend, LoadSignal signal) {
    return report(backend, instance, signal);
  }

  /**
   * Reports the load of a backend. Returns before the store has the signal.
   *
   * <p>Each instance of a backend reports at least every five seconds; once a second is usual. A
   * level without reports fades to 0 within 15 seconds.
   *
   * @param backend the attributes by which rules with {@code shed} match the backend's requests,
   *     such as {@code backend=checkout}
   * @param reporter identifies the instance of the backend; its next report replaces this one
   * @return the number of rules that use the signal; 0 if none matches the backend or uses a figure
   *     that the signal has
   */
  public int report(Subject backend, String reporter, LoadSignal signal) {
    int used = shedder.report(rules.get(), backend, reporter, signal);
    if (used == 0) return 0;
    if (background) {
      timer.flushSoon();
    } else {
      var unused = shedder.flush();
    }
    return used;
  }

  /**
   * Sends all signals and reads the levels in use now.
   *
   * @return completes when the store has replied or failed
   */
  public CompletableFuture<Void> sync() {
    return shedder.sync();
  }

  /** Returns the levels in use, ordered by rule and backend. */
  public List<BackendLevel> levels() {
    return shedder.levels();
  }

  /** Sets the listener of levels that rise above 0 and return to it, in place of any other. */
  public void listener(LevelListener listener) {
    shedder.listener(listener);
  }

  /**
   * Returns the plan of a request with the present rates, and without charges if it is dropped.
   *
   * @param counted whether the request counts for the mix of the traffic; false for a peek
   */
  Plan apply(RuleSet current, Plan plan, Request request, boolean counted) {
    var tuned = tune(current, plan);
    return current.hasShedding() ? shedder.apply(tuned, request.subject(), counted) : tuned;
  }

  /** Returns the plan of a request with the present rates of limits that follow a signal. */
  Plan tune(RuleSet current, Plan plan) {
    return current.hasTuning() ? shedder.tune(plan) : plan;
  }

  /** Returns the counter of a charge with the present rate if its limit follows a signal. */
  Counter tune(Charge charge) {
    return charge.counter().tuning().isPresent() ? shedder.tune(charge) : charge.counter();
  }

  /** Explains how a rule treats the subject; empty unless it sheds load and is in the plan. */
  Optional<Shedding> explain(Plan plan, Rule rule, Subject subject) {
    for (var part : plan.parts()) {
      if (part.shedding() == null || !part.rule().id().equals(rule.id())) continue;
      return shedder
          .explain(part.shedding(), subject)
          .map(e -> new Shedding(e.level(), e.priority(), LimitReport.micros(e.retryAfter())));
    }
    return Optional.empty();
  }

  /** Adapts to new rules. */
  void rulesChanged(RuleSet current) {
    shedder.retain(current);
    if (background && (current.hasShedding() || current.hasTuning())) timer.start();
  }

  /** Ends the background thread; called by {@link RateLimiter#close}. */
  @Override
  public void close() {
    timer.close();
  }
}
