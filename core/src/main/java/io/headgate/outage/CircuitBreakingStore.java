package io.headgate.outage;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Decorates a remote store with a circuit breaker, and decides by the rules' failure policies while
 * the store is unavailable.
 *
 * <p>A plan that the store fails to decide is decided at once by each rule's {@link
 * io.headgate.rule.FailurePolicy}; the result has {@link Source#FALLBACK}. After a few failures the
 * circuit breaker opens, and no requests are sent to the store until a probe in the background
 * succeeds. A single failure also starts a probe, while requests continue to be sent: if it
 * succeeds, the failure does not count towards an outage.
 *
 * <p>Rules with policy {@code local} let each of N instances admit its share of the limit. All
 * instances together admit at most the limit, or one permit each if the limit is less than N.
 * Shares are unused when an outage begins, so instances may admit up to the limit in addition to
 * the permits that the store admitted before. If N grows, a new instance adds its share while the
 * others have already spent part of their larger ones. When the store is available again, it is
 * charged for the local admissions that still count: see {@link LocalAdmissions}.
 *
 * <p>Thread-safe.
 */
public final class CircuitBreakingStore implements Store {
  /*
   * Local states are kept when an outage ends, until time makes them fresh, and are used again if
   * the next outage begins before. Otherwise a store that is unavailable repeatedly would grant each
   * instance a new share every time. No state affects a decision later than its own limit's window
   * allows. A slot that was acquired locally has to be found locally to be released.
   */

  private static final PlanResult EMPTY_RESULT = new PlanResult(List.of(), Source.STORE);

  private final Store remote;
  private final MemoryStore local;
  private final Ticker ticker;
  private final OutageListener listener;
  private final Fallback fallback;
  private final CircuitBreaker breaker = new CircuitBreaker();
  private final ProbeSchedule prober;
  private final LocalAdmissions admissions;
  private final ReentrantLock transitions = new ReentrantLock(); // opening, closing, notification
  private boolean notifiedOpen; // guarded by transitions
  private volatile String lastProblem = "";

  private CircuitBreakingStore(
      Store remote,
      Ticker ticker,
      IntSupplier instances,
      MemoryStore local,
      OutageListener listener,
      LocalAdmissions admissions,
      Function<Consumer<Throwable>, ProbeSchedule> probes) {
    this.remote = remote;
    this.local = local;
    this.ticker = ticker;
    this.listener = listener;
    this.admissions = admissions;
    this.fallback = new Fallback(local, instances, admissions);
    this.prober = probes.apply(this::probeFailed);
  }

  /**
   * Decorates a store, with the system clock and the default number of local counters.
   *
   * @param remote the store, which fails with a {@link StoreException}; closed with this one
   * @param probe checks whether {@code remote} is available
   * @param instances the number of instances that share a limit; less than 1 is treated as 1
   * @param listener notified of failures, and of the begin and end of outages
   */
  public static CircuitBreakingStore around(
      Store remote, Probe probe, IntSupplier instances, OutageListener listener) {
    return around(
        remote, probe, instances, listener, Ticker.system(), MemoryStore.DEFAULT_MAX_KEYS);
  }

  /**
   * Decorates a store, with the given clock and maximum number of local counters.
   *
   * @param maxLocalKeys as in {@link MemoryStore#create(Ticker, int)}, for rules with policy {@code
   *     local}
   */
  public static CircuitBreakingStore around(
      Store remote,
      Probe probe,
      IntSupplier instances,
      OutageListener listener,
      Ticker ticker,
      int maxLocalKeys) {
    return around(remote, probe, instances, listener, ticker, maxLocalKeys, Reporter.NONE);
  }

  /**
   * Decorates a store that can be charged afterwards for local admissions.
   *
   * @param reporter charges the states of {@code remote}
   */
  public static CircuitBreakingStore around(
      Store remote,
      Probe probe,
      IntSupplier instances,
      OutageListener listener,
      Ticker ticker,
      int maxLocalKeys,
      Reporter reporter) {
    var local = MemoryStore.create(ticker, maxLocalKeys);
    return new CircuitBreakingStore(
        remote,
        ticker,
        instances,
        local,
        listener,
        new LocalAdmissions(local, reporter, maxLocalKeys),
        onFailure -> new BackgroundProber(probe, ticker, onFailure));
  }

  /**
   * Decorates a store without starting threads: the test schedules probes and reports.
   *
   * @param local the local counters, on the same ticker
   * @param probes creates the schedule, given the listener for failed probes
   */
  public static CircuitBreakingStore forTesting(
      Store remote,
      Ticker ticker,
      IntSupplier instances,
      MemoryStore local,
      OutageListener listener,
      Reporter reporter,
      Function<Consumer<Throwable>, ProbeSchedule> probes) {
    var admissions = LocalAdmissions.forTesting(local, reporter);
    return new CircuitBreakingStore(remote, ticker, instances, local, listener, admissions, probes);
  }

  /** Returns the local admissions that have not been reported to the store. */
  public LocalAdmissions admissions() {
    return admissions;
  }

  /**
   * Decorates one failure domain of a store, such as a shard of a cluster.
   *
   * @param local the local counters for rules with policy {@code local}. All domains share them, so
   *     that a plan with counters of several domains has one local counter for each. Closed with
   *     this store.
   * @param reporter charges the states of {@code remote}
   * @param maxLocalKeys this domain's part of the local counters; a tenth of it is the maximum
   *     number of counters that are reported after an outage
   */
  public static CircuitBreakingStore aroundDomain(
      Store remote,
      Probe probe,
      IntSupplier instances,
      OutageListener listener,
      MemoryStore local,
      Reporter reporter,
      int maxLocalKeys) {
    var ticker = Ticker.system();
    return new CircuitBreakingStore(
        remote,
        ticker,
        instances,
        local,
        listener,
        new LocalAdmissions(local, reporter, maxLocalKeys),
        onFailure -> new BackgroundProber(probe, ticker, onFailure));
  }

  /** Returns whether the circuit breaker is open, so that no requests are sent to the store. */
  public boolean isUnavailable() {
    return breaker.isOpen();
  }

  /** Returns the last failure, of this outage or an earlier one. */
  public Optional<String> lastProblem() {
    var text = lastProblem;
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  @Override
  public PlanResult decide(Plan plan) {
    if (plan.charges().isEmpty()) return EMPTY_RESULT;
    if (breaker.isOpen()) return fallback.decide(plan, outage(), true);
    try {
      return succeeded(remote.decide(plan));
    } catch (RuntimeException e) {
      return decideLocally(plan, failed(e));
    }
  }

  @Override
  public PlanResult peek(Plan plan) {
    if (plan.charges().isEmpty()) return EMPTY_RESULT;
    if (breaker.isOpen()) return fallback.peek(plan, outage());
    try {
      return succeeded(remote.peek(plan));
    } catch (RuntimeException e) {
      failed(e);
      return fallback.peek(plan, outage());
    }
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    if (plan.charges().isEmpty()) return CompletableFuture.completedFuture(EMPTY_RESULT);
    if (breaker.isOpen()) {
      return CompletableFuture.completedFuture(fallback.decide(plan, outage(), true));
    }
    CompletionStage<PlanResult> reply;
    try {
      reply = remote.decideAsync(plan);
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    return reply.handle((result, problem) -> {
      if (problem == null) return succeeded(result);
      return decideLocally(plan, failed(causeOf(problem)));
    });
  }

  /** Records that the store has decided a plan with counters of this failure domain. */
  public void recordSuccess() {
    breaker.succeeded();
  }

  /** Records that this failure domain has failed. */
  public void recordFailure(Throwable problem) {
    failed(problem);
  }

  /**
   * Decides a plan by the rules' failure policies after the store failed to decide it. Does not
   * record the failure.
   */
  public PlanResult decideByPolicy(Plan plan, Throwable problem) {
    return decideLocally(plan, asFailure(problem));
  }

  /** Evaluates a plan by the rules' failure policies, without charging it. */
  public PlanResult peekByPolicy(Plan plan) {
    return fallback.peek(plan, outage());
  }

  /**
   * Decides by policy after a failure. A request that the store may have charged is charged locally
   * too, so that the limit is not exceeded. It is not reported, so that it is not charged twice.
   */
  private PlanResult decideLocally(Plan plan, StoreException failure) {
    boolean uncharged = failure.isUncharged();
    var result = fallback.decide(plan, outage(), uncharged);
    if (uncharged && !breaker.isOpen()) admissions.start();
    return result;
  }

  /**
   * Slots granted by the fallback are renewed and released locally, all others in the store. Fails
   * with a {@link StoreException} for the others while the store is unavailable.
   */
  @Override
  public boolean renew(Charge charge) {
    return updateSlot(charge, Store::renew, "renew");
  }

  @Override
  public boolean release(Charge charge) {
    return updateSlot(charge, Store::release, "release");
  }

  private boolean updateSlot(Charge charge, BiPredicate<Store, Charge> update, String action) {
    if (update.test(local, charge)) return true;
    return executeRemotely(
        () -> update.test(remote, charge),
        "could not %s a slot of %s".formatted(action, charge.counter()));
  }

  @Override
  public void reset(Counter counter, String key) {
    local.reset(counter, key);
    admissions.remove(counter, key);
    executeRemotely(
        () -> {
          remote.reset(counter, key);
          return true;
        },
        "could not reset " + counter);
  }

  @Override
  public long trackedKeys() {
    if (breaker.isOpen()) return local.trackedKeys();
    try {
      return remote.trackedKeys();
    } catch (RuntimeException e) {
      failed(e);
      return local.trackedKeys();
    }
  }

  /** Stops probing and reporting, and closes the store. */
  @Override
  public void close() {
    prober.end();
    admissions.close();
    local.close();
    remote.close();
  }

  /** Executes an operation that no failure policy can replace. */
  private boolean executeRemotely(Supplier<Boolean> operation, String errorMessage) {
    if (breaker.isOpen()) {
      throw new StoreException(
          breaker.latestKind(),
          errorMessage + ": the store is unavailable; try again when it is available",
          null);
    }
    try {
      boolean result = operation.get();
      breaker.succeeded();
      return result;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Records a success if the store itself decided; a cached decision does not prove anything. */
  private PlanResult succeeded(PlanResult result) {
    if (result.source() == Source.STORE) breaker.succeeded();
    return result;
  }

  private StoreException failed(Throwable problem) {
    var failure = asFailure(problem);
    var message = failure.kind().label() + ": " + failure.getMessage();
    lastProblem = message;
    notifyListener(() -> listener.failed(failure.kind()));
    if (breaker.failed(failure.kind(), ticker.micros())) opened(message);
    else if (breaker.hasFailures()) startProbing();
    return failure;
  }

  private static StoreException asFailure(Throwable problem) {
    return problem instanceof StoreException known
        ? known
        : new StoreException(Kind.OTHER, "the store failed unexpectedly: " + problem, problem);
  }

  /** Probes a store that has failed while the circuit breaker is still closed. */
  private void startProbing() {
    try {
      prober.start(this::recovered);
    } catch (OutOfMemoryError e) { // no thread; requests still show whether the store works
      lastProblem = "cannot start a probe thread: " + e;
    }
  }

  private void opened(String message) {
    transitions.lock();
    try {
      if (!breaker.isOpen()) return; // a concurrent probe has succeeded
      prober.start(this::recovered);
      admissions.stop();
      if (!notifiedOpen) notifyListener(() -> listener.opened(message));
      notifiedOpen = true;
    } catch (OutOfMemoryError e) { // without probes the breaker must not stay open
      breaker.close();
      lastProblem = "cannot start a probe thread: " + e;
    } finally {
      transitions.unlock();
    }
  }

  private void recovered() {
    transitions.lock();
    try {
      long duration = breaker.outageDuration(ticker.micros());
      breaker.close();
      if (notifiedOpen) notifyListener(() -> listener.closed(duration));
      notifiedOpen = false;
      admissions.start();
    } finally {
      transitions.unlock();
    }
  }

  private void probeFailed(Throwable problem) {
    lastProblem = "probe: " + (problem instanceof StoreException ? problem.getMessage() : problem);
  }

  /** Notifies the listener. Its failures must not fail the request. */
  private static void notifyListener(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      // A listener for logs and metrics can't be notified of its own failure.
    }
  }

  /**
   * Returns the state of the outage. Denied callers should retry after the next probe, and not
   * before the minimum pause between two probes: no earlier retry can succeed.
   */
  private Fallback.Outage outage() {
    long now = ticker.micros();
    long retryAfter = Math.max(BackgroundProber.MIN_MICROS, prober.dueAt() - now);
    return new Fallback.Outage(breaker.outageDuration(now), retryAfter);
  }

  private static Throwable causeOf(Throwable problem) {
    var cause = problem.getCause();
    return problem instanceof CompletionException && cause != null ? cause : problem;
  }
}
