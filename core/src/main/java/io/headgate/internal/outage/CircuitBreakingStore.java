package io.headgate.internal.outage;

import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.LateReply;
import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
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
 * <p>A late reply is not an outage: the store has usually executed the request. Until the outage is
 * certain ({@link CircuitBreaker#isOutage}), rules with policy {@code local} decide late requests
 * by what the store last reported about the counter ({@link LastAnswers}); the result has {@link
 * Source#CACHE}. The other policies decide them as in an outage. When the reply arrives, the store
 * is charged for admissions that it denied, and charges for requests that were denied here are
 * given back.
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
  private final Ticker ticker;
  private final LocalAdmissions admissions;
  private final LastAnswers answers;
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
      LastAnswers answers,
      Function<Consumer<Throwable>, ProbeSchedule> probes) {
    super(remote);
    this.local = local;
    this.ticker = ticker;
    this.admissions = admissions;
    this.answers = answers;
    // Until the next answer, what is being reported is subtracted nowhere else.
    admissions.onReport(answers::spend);
    this.fallback = new Fallback(local, instances, admissions, answers);
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
    var answers = new LastAnswers();
    return aroundDomain(remote, probe, instances, listener, local, answers, Reporter.NONE, maxKeys);
  }

  /**
   * Decorates one failure domain of a store, such as a shard of a cluster. All domains share {@code
   * remote}, {@code local} and {@code answers}, so the owner of the domains ends them by {@link
   * #stop} and closes both stores itself.
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
      LastAnswers answers,
      Reporter reporter,
      int maxLocalKeys) {
    var ticker = Ticker.system();
    return new CircuitBreakingStore(
        remote,
        ticker,
        instances,
        local,
        listener,
        new LocalAdmissions(local, reporter, ticker, maxLocalKeys),
        answers,
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
    if (detector.isOpen()) return decideUnsent(plan);
    admissions.reportOwed(plan);
    long request = answers.nextRequest();
    try {
      return succeeded(plan, delegate().decide(plan), request);
    } catch (RuntimeException e) {
      return decideLocally(plan, detector.failed(e), request);
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
    if (detector.isOpen()) return CompletableFuture.completedFuture(decideUnsent(plan));
    admissions.reportOwed(plan);
    long request = answers.nextRequest();
    CompletionStage<PlanResult> reply;
    try {
      reply = decide.apply(plan);
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    return reply.handle((result, problem) ->
        problem == null
            ? succeeded(plan, result, request)
            : decideLocally(plan, detector.failed(causeOf(problem)), request));
  }

  private static Throwable causeOf(Throwable problem) {
    var cause = problem.getCause();
    return problem instanceof CompletionException && cause != null ? cause : problem;
  }

  private PlanResult succeeded(Plan plan, PlanResult result, long request) {
    recordAnswers(plan, result, request);
    return detector.succeeded(result);
  }

  /** Returns the number of a request for {@link #recordAnswers}, to be taken before it is sent. */
  public long nextRequest() {
    return answers.nextRequest();
  }

  /** Records what the store reported about the counters of a plan, for late requests. */
  public void recordAnswers(Plan plan, PlanResult result, long request) {
    if (result.source() != Source.STORE) return;
    long now = ticker.micros();
    var single = plan.single();
    if (single != null) {
      answers.record(single, result.first(), request, now);
      return;
    }
    for (int i = 0; i < plan.charges().size(); i++) {
      answers.record(plan.charges().get(i), result.outcomes().get(i), request, now);
    }
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
   * Decides a plan after the store failed to decide it, by the rules' failure policies or, if the
   * reply is only late, by the last answers. Does not record the failure.
   *
   * @param request the number of the request; see {@link #nextRequest}
   */
  public PlanResult decideWithoutStore(Plan plan, Throwable problem, long request) {
    return decideLocally(plan, OutageDetector.asFailure(problem), request);
  }

  /** Evaluates a plan without the store, without charging it. */
  public PlanResult peekByPolicy(Plan plan) {
    if (isOutage(detector.latestKind())) return fallback.peek(plan, detector.outage());
    return fallback
        .decideLate(plan, detector.outage(), ticker.micros(), true, charge -> {})
        .result();
  }

  /** Decides a plan that is not sent, because the circuit breaker is open. */
  private PlanResult decideUnsent(Plan plan) {
    return detector.isOutage()
        ? fallback.decide(plan, detector.outage(), true)
        : decideLate(plan, true);
  }

  /**
   * Decides after a failure. If the store is unavailable, failure policies decide. A request that
   * the store may have charged is then charged locally too, so that the limit is not exceeded. It
   * is not reported, so that it is not charged twice.
   */
  private PlanResult decideLocally(Plan plan, StoreException failure, long request) {
    boolean uncharged = failure.isUncharged();
    if (isOutage(failure.kind())) {
      var result = fallback.decide(plan, detector.outage(), uncharged);
      if (uncharged) startReports();
      return result;
    }
    var reply = failure.lateReply();
    return uncharged || reply.isEmpty()
        ? decideLate(plan, uncharged)
        : decideLate(plan, reply.get(), request);
  }

  /** Returns whether a failure of this kind is that of the store, rather than a late reply. */
  private boolean isOutage(Kind kind) {
    return switch (kind) {
      case TIMEOUT, OVERLOADED, FULL, INTERRUPTED -> detector.isOutage();
      case CONNECTION, REFUSED, OTHER -> true;
    };
  }

  /**
   * Decides a plan for which no reply will arrive.
   *
   * @param uncharged whether the store has certainly charged nothing, and is to be charged for an
   *     admission
   */
  private PlanResult decideLate(Plan plan, boolean uncharged) {
    var late =
        fallback.decideLate(
            plan,
            detector.outage(),
            ticker.micros(),
            !uncharged,
            uncharged ? this::owe : answers::spend);
    detector.decidedLate(plan.allows(late.result().outcomes()));
    if (uncharged) startReports();
    return late.result();
  }

  /** Decides a plan whose reply may still arrive, and compares the decision with it then. */
  private PlanResult decideLate(Plan plan, CompletionStage<LateReply> reply, long request) {
    var late = fallback.decideLate(plan, detector.outage(), ticker.micros(), true, answers::admit);
    detector.decidedLate(plan.allows(late.result().outcomes()));
    var unused =
        reply.handle((replied, problem) -> {
          if (replied == null) settleUnknown(plan, late);
          else reconcile(plan, late, replied, request);
          return replied;
        });
    return late.result();
  }

  /** Ends the wait for a reply that will not arrive: the store may have made the charges. */
  private void settleUnknown(Plan plan, Fallback.Late late) {
    for (int i = 0; i < late.counted().length; i++) {
      if (!late.counted()[i]) continue;
      answers.settle(plan.charges().get(i));
      answers.spend(plan.charges().get(i));
    }
  }

  /**
   * Makes the charges of the store those of the decision: a charge that it has not made for an
   * admitted request is reported, and one that it has made for a denied request is given back.
   */
  private void reconcile(Plan plan, Fallback.Late late, LateReply reply, long request) {
    long now = ticker.micros();
    var made = new boolean[late.counted().length];
    for (int r = 0; r < reply.charges().size(); r++) {
      var charge = reply.charges().get(r);
      answers.record(charge, reply.outcomes().get(r), request, now);
      if (!reply.isCharged(r)) continue;
      int i = indexOf(charge, plan, made);
      if (i >= 0 && late.allowed()[i]) made[i] = true;
      else if (!admissions.setOff(charge)) reply.giveBack(r);
    }
    for (int i = 0; i < made.length; i++) {
      if (!late.counted()[i]) continue;
      var charge = plan.charges().get(i);
      answers.settle(charge);
      if (!made[i]) owe(charge);
    }
    startReports();
  }

  /** Subtracts an admission that the store has not charged from the answer until it is reported. */
  private void owe(Charge charge) {
    if (!admissions.owe(charge)) answers.spend(charge);
  }

  /** Returns the first charge of the plan that is equal and not yet made; -1 if there is none. */
  private static int indexOf(Charge charge, Plan plan, boolean[] made) {
    for (int i = 0; i < made.length; i++) {
      var other = plan.charges().get(i);
      if (!made[i]
          && other.cost() == charge.cost()
          && CounterShare.of(other).equals(CounterShare.of(charge))) {
        return i;
      }
    }
    return -1;
  }

  private void startReports() {
    if (!detector.isOpen()) admissions.start();
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
    answers.remove(counter, key);
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
