package io.headgate.internal.outage;

import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;

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
public final class CircuitBreakingStore extends ForwardingStore {
  /*
   * Local states are kept when an outage ends, until time makes them fresh, and are used again if
   * the next outage begins before. Otherwise a store that is unavailable repeatedly would grant each
   * instance a new share every time. No state affects a decision later than its own limit's window
   * allows. A slot that was acquired locally has to be found locally to be released.
   */

  private final MemoryStore local;
  private final LocalAdmissions admissions;
  private final Fallback fallback;
  private final OutageDetector detector;
  private final SlotOperations slots;

  /**
   * Decorates a store.
   *
   * @param local the local counters, on the same ticker
   * @param probes creates the schedule of probes, given the listener for failed probes
   */
  CircuitBreakingStore(
      Store remote,
      Ticker ticker,
      IntSupplier instances,
      MemoryStore local,
      OutageListener listener,
      LocalAdmissions admissions,
      Function<Consumer<Throwable>, ProbeSchedule> probes) {
    super(remote);
    this.local = local;
    this.admissions = admissions;
    this.fallback = new Fallback(local, instances, admissions);
    this.detector = new OutageDetector(ticker, listener, admissions, probes);
    this.slots = new SlotOperations(remote, local, detector);
  }

  /**
   * Decorates a store that is not charged afterwards for local admissions.
   *
   * @param remote the store, which fails with a {@link StoreException}; closed with this one
   * @param probe checks whether {@code remote} is available
   * @param instances the number of instances that share a limit; less than 1 is treated as 1
   * @param listener notified of failures, and of the begin and end of outages
   */
  public static CircuitBreakingStore around(
      Store remote, Probe probe, IntSupplier instances, OutageListener listener) {
    int maxKeys = MemoryStore.DEFAULT_MAX_KEYS;
    var local = MemoryStore.create();
    return aroundDomain(remote, probe, instances, listener, local, Reporter.NONE, maxKeys);
  }

  /**
   * Decorates one failure domain of a store, such as a shard of a cluster. All domains share {@code
   * remote} and {@code local}, so the owner of the domains ends them by {@link #stop} and closes
   * both stores itself.
   *
   * @param local the local counters for rules with policy {@code local}. A plan with counters of
   *     several domains has one local counter for each.
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

  /** Returns the local admissions that have not been reported to the store. */
  LocalAdmissions admissions() {
    return admissions;
  }

  /** Returns whether the circuit breaker is open, so that no requests are sent to the store. */
  public boolean isUnavailable() {
    return detector.isOpen();
  }

  /**
   * Returns the time of the first failure of the current outage, in microseconds since the epoch;
   * empty while the circuit breaker is closed.
   */
  public OptionalLong unavailableSince() {
    return detector.openSince();
  }

  /** Returns the last failure, of this outage or an earlier one. */
  public Optional<String> lastProblem() {
    return detector.lastProblem();
  }

  @Override
  public PlanResult decide(Plan plan) {
    if (plan.charges().isEmpty()) return PlanResult.EMPTY;
    if (detector.isOpen()) return fallback.decide(plan, detector.outage(), true);
    try {
      return detector.succeeded(delegate().decide(plan));
    } catch (RuntimeException e) {
      return decideLocally(plan, detector.failed(e));
    }
  }

  @Override
  public PlanResult peek(Plan plan) {
    if (plan.charges().isEmpty()) return PlanResult.EMPTY;
    if (detector.isOpen()) return peekByPolicy(plan);
    try {
      return detector.succeeded(delegate().peek(plan));
    } catch (RuntimeException e) {
      detector.failed(e);
      return peekByPolicy(plan);
    }
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return decideAsync(plan, delegate()::decideAsync);
  }

  /**
   * Decides a plan by a function that replaces the decorated store.
   *
   * @param decide fails as the store does
   */
  public CompletionStage<PlanResult> decideAsync(
      Plan plan, Function<Plan, CompletionStage<PlanResult>> decide) {
    if (plan.charges().isEmpty()) return CompletableFuture.completedFuture(PlanResult.EMPTY);
    if (detector.isOpen()) {
      return CompletableFuture.completedFuture(fallback.decide(plan, detector.outage(), true));
    }
    CompletionStage<PlanResult> reply;
    try {
      reply = decide.apply(plan);
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    return reply.handle((result, problem) ->
        problem == null
            ? detector.succeeded(result)
            : decideLocally(plan, detector.failed(causeOf(problem))));
  }

  private static Throwable causeOf(Throwable problem) {
    var cause = problem.getCause();
    return problem instanceof CompletionException && cause != null ? cause : problem;
  }

  /** Records that the store has decided a plan with counters of this failure domain. */
  public void recordSuccess() {
    detector.succeeded();
  }

  /** Records that this failure domain has failed. */
  public void recordFailure(Throwable problem) {
    detector.failed(problem);
  }

  /**
   * Decides a plan by the rules' failure policies after the store failed to decide it. Does not
   * record the failure.
   */
  public PlanResult decideByPolicy(Plan plan, Throwable problem) {
    return decideLocally(plan, OutageDetector.asFailure(problem));
  }

  /** Evaluates a plan by the rules' failure policies, without charging it. */
  public PlanResult peekByPolicy(Plan plan) {
    return fallback.peek(plan, detector.outage());
  }

  /**
   * Decides by policy after a failure. A request that the store may have charged is charged locally
   * too, so that the limit is not exceeded. It is not reported, so that it is not charged twice.
   */
  private PlanResult decideLocally(Plan plan, StoreException failure) {
    boolean uncharged = failure.isUncharged();
    var result = fallback.decide(plan, detector.outage(), uncharged);
    if (uncharged && !detector.isOpen()) admissions.start();
    return result;
  }

  @Override
  public boolean renew(Charge charge) {
    return slots.renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return slots.release(charge);
  }

  @Override
  public boolean release(Charge charge, CompletedCall call) {
    return slots.release(charge, call);
  }

  @Override
  public void reset(Counter counter, String key) {
    local.reset(counter, key);
    admissions.remove(counter, key);
    detector.execute(
        () -> {
          delegate().reset(counter, key);
          return true;
        },
        "could not reset " + counter);
  }

  @Override
  public long trackedKeys() {
    if (detector.isOpen()) return local.trackedKeys();
    try {
      return delegate().trackedKeys();
    } catch (RuntimeException e) {
      detector.failed(e);
      return local.trackedKeys();
    }
  }

  /** Stops probing and reporting; leaves the decorated store open. */
  public void stop() {
    detector.end();
    admissions.close();
  }

  /** Stops probing and reporting, and closes the decorated store. */
  @Override
  public void close() {
    stop();
    local.close();
    super.close();
  }
}
