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
 * A store elsewhere, and what the rules say while it is away.
 *
 * <p>A plan that the store can't decide is answered at once by each rule's policy ({@link
 * io.headgate.rule.FailurePolicy}), and the answer says so: {@link Source#FALLBACK}. After a few
 * failures nobody is sent to the store any more until a probe, on a thread of its own, has found it
 * back. After a single one the store is probed too, while callers go on using it: so a failure is
 * part of an outage only if nothing has succeeded since.
 *
 * <p>Rules of policy {@code local} let each of N instances pass its share of the limit: all of them
 * at most the limit, or one each where it is less than N. They start from nothing when an outage
 * begins, so up to so many again beside what the store had let pass; and an instance that is new to
 * N adds its share while the others still have what they took of theirs. When the store is back it
 * is charged for what was admitted here and still counts: see {@link LocalAdmissions}.
 */
public final class CircuitBreakingStore implements Store {
  /*
   * What of the local states when the outage ends? They stay until time has made each of them fresh,
   * and serve again if another outage begins before. What was let pass here is known nowhere else, so
   * a store that comes and goes would otherwise hand out a share each time that it goes. A state says
   * nothing of what is older than its own limit's window, so none decides later than it should; and a
   * slot in flight that was taken here has to be found here to be released.
   */

  private static final PlanResult NOTHING_TO_ASK = new PlanResult(List.of(), Source.STORE);

  private final Store remote;
  private final MemoryStore local;
  private final Ticker ticker;
  private final OutageListener listener;
  private final Fallback fallback;
  private final CircuitBreaker breaker = new CircuitBreaker();
  private final ProbeSchedule prober;
  private final LocalAdmissions admissions;
  private final ReentrantLock turns = new ReentrantLock(); // of opening and closing, and being told
  private boolean told; // that the store is away; guarded by turns
  private volatile String lastProblem = "";

  private CircuitBreakingStore(
      Store remote,
      Ticker ticker,
      IntSupplier instances,
      MemoryStore local,
      OutageListener listener,
      LocalAdmissions admissions,
      Function<Consumer<Throwable>, ProbeSchedule> probing) {
    this.remote = remote;
    this.local = local;
    this.ticker = ticker;
    this.listener = listener;
    this.admissions = admissions;
    this.fallback = new Fallback(local, instances, admissions);
    this.prober = probing.apply(this::probeFailed);
  }

  /**
   * Stands before a store, by the clock of this machine.
   *
   * @param remote throws, or fails its stages with, {@link StoreException}; is closed with this one
   * @param instances how many there are to share a limit among; less than 1 is taken for 1
   */
  public static CircuitBreakingStore before(
      Store remote, Probe probe, IntSupplier instances, OutageListener listener) {
    return before(
        remote, probe, instances, listener, Ticker.system(), MemoryStore.DEFAULT_MOST_KEYS);
  }

  /**
   * With a clock and a size of its own.
   *
   * @param mostLocalKeys as in {@link MemoryStore#create(Ticker, int)}, for rules of policy local
   */
  public static CircuitBreakingStore before(
      Store remote,
      Probe probe,
      IntSupplier instances,
      OutageListener listener,
      Ticker ticker,
      int mostLocalKeys) {
    return before(remote, probe, instances, listener, ticker, mostLocalKeys, Reporter.NONE);
  }

  /**
   * With a store that can be charged for what was admitted without it.
   *
   * @param reporter charges the same states as {@code remote}
   */
  public static CircuitBreakingStore before(
      Store remote,
      Probe probe,
      IntSupplier instances,
      OutageListener listener,
      Ticker ticker,
      int mostLocalKeys,
      Reporter reporter) {
    var local = MemoryStore.create(ticker, mostLocalKeys);
    return new CircuitBreakingStore(
        remote,
        ticker,
        instances,
        local,
        listener,
        new LocalAdmissions(local, reporter, mostLocalKeys),
        onFailure -> new BackgroundProber(probe, ticker, onFailure));
  }

  /**
   * Without threads of its own: probes and reports are made by hand.
   *
   * @param local of the same ticker
   * @param probing takes what to do with the failure of a probe
   */
  public static CircuitBreakingStore forTesting(
      Store remote,
      Ticker ticker,
      IntSupplier instances,
      MemoryStore local,
      OutageListener listener,
      Reporter reporter,
      Function<Consumer<Throwable>, ProbeSchedule> probing) {
    var admissions = LocalAdmissions.forTesting(local, reporter);
    return new CircuitBreakingStore(
        remote, ticker, instances, local, listener, admissions, probing);
  }

  /** What was admitted here and has not been reported to the store. */
  public LocalAdmissions admissions() {
    return admissions;
  }

  /**
   * Stands before one part of a store that fails in parts.
   *
   * @param local counts for rules of policy local; the same for all parts, so that a counter of a
   *     plan that depends on several parts is one counter; is closed with this one
   * @param reporter charges the same states as {@code remote}
   * @param mostReported how many counters are reported to the store after an outage of this part,
   *     times ten
   */
  public static CircuitBreakingStore beforePart(
      Store remote,
      Probe probe,
      IntSupplier instances,
      OutageListener listener,
      MemoryStore local,
      Reporter reporter,
      int mostReported) {
    var ticker = Ticker.system();
    return new CircuitBreakingStore(
        remote,
        ticker,
        instances,
        local,
        listener,
        new LocalAdmissions(local, reporter, mostReported),
        onFailure -> new BackgroundProber(probe, ticker, onFailure));
  }

  /** Whether the store is left in peace for now. */
  public boolean isUnavailable() {
    return breaker.isOpen();
  }

  /** The last thing that went wrong, in this outage or an earlier one. */
  public Optional<String> lastProblem() {
    var text = lastProblem;
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  @Override
  public PlanResult decide(Plan plan) {
    if (plan.charges().isEmpty()) return NOTHING_TO_ASK;
    if (breaker.isOpen()) return fallback.decide(plan, outage(), true);
    try {
      return succeeded(remote.decide(plan));
    } catch (RuntimeException e) {
      return decideHere(plan, failed(e));
    }
  }

  @Override
  public PlanResult peek(Plan plan) {
    if (plan.charges().isEmpty()) return NOTHING_TO_ASK;
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
    if (plan.charges().isEmpty()) return CompletableFuture.completedFuture(NOTHING_TO_ASK);
    if (breaker.isOpen()) {
      return CompletableFuture.completedFuture(fallback.decide(plan, outage(), true));
    }
    CompletionStage<PlanResult> asked;
    try {
      asked = remote.decideAsync(plan);
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedFuture(e);
    }
    return asked.handle((answer, problem) -> {
      if (problem == null) return succeeded(answer);
      return decideHere(plan, failed(causeOf(problem)));
    });
  }

  /** Records that the store has decided a plan of which this part keeps counters. */
  public void recordSuccess() {
    breaker.succeeded();
  }

  /** Records that this part of the store has failed. */
  public void recordFailure(Throwable problem) {
    failed(problem);
  }

  /**
   * Decides by the rules' policies a plan that the store failed to decide, without recording the
   * failure.
   */
  public PlanResult decideByPolicy(Plan plan, Throwable problem) {
    return decideHere(plan, asFailure(problem));
  }

  /** Returns the decision of the rules' policies, charging nothing. */
  public PlanResult peekByPolicy(Plan plan) {
    return fallback.peek(plan, outage());
  }

  /**
   * What the store may have charged is counted here as well, so that no more passes than should;
   * but it is not reported, so that nothing is charged twice.
   */
  private PlanResult decideHere(Plan plan, StoreException failure) {
    boolean uncharged = failure.isUncharged();
    var answer = fallback.decide(plan, outage(), uncharged);
    if (uncharged && !breaker.isOpen()) admissions.start();
    return answer;
  }

  /** A slot that was taken here is here. Of others the store knows, and if it is away, nobody. */
  @Override
  public boolean renew(Charge charge) {
    return alter(charge, Store::renew, "renew");
  }

  @Override
  public boolean release(Charge charge) {
    return alter(charge, Store::release, "release");
  }

  private boolean alter(Charge charge, BiPredicate<Store, Charge> change, String what) {
    if (change.test(local, charge)) return true;
    return ask(
        () -> change.test(remote, charge),
        "could not %s a slot of %s".formatted(what, charge.counter()));
  }

  @Override
  public void reset(Counter counter, String key) {
    local.reset(counter, key);
    admissions.forget(counter, key);
    ask(
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

  /** Ends the probing too. */
  @Override
  public void close() {
    prober.end();
    admissions.close();
    local.close();
    remote.close();
  }

  /** For what no policy can answer. */
  private boolean ask(Supplier<Boolean> question, String ifNot) {
    if (breaker.isOpen()) {
      throw new StoreException(
          breaker.latest(), ifNot + ": the store is away; try again when it is back", null);
    }
    try {
      boolean answer = question.get();
      breaker.succeeded();
      return answer;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Only what the store itself said shows that it is there. */
  private PlanResult succeeded(PlanResult answer) {
    if (answer.source() == Source.STORE) breaker.succeeded();
    return answer;
  }

  private StoreException failed(Throwable problem) {
    var failure = asFailure(problem);
    var message = failure.kind().label() + ": " + failure.getMessage();
    lastProblem = message;
    tell(() -> listener.failed(failure.kind()));
    if (breaker.failed(failure.kind(), ticker.micros())) opened(message);
    else if (breaker.isTroubled()) verify();
    return failure;
  }

  private static StoreException asFailure(Throwable problem) {
    return problem instanceof StoreException known
        ? known
        : new StoreException(Kind.OTHER, "the store failed unexpectedly: " + problem, problem);
  }

  /** Probes a store that has failed, though callers go on using it. */
  private void verify() {
    try {
      prober.start(this::isBack);
    } catch (OutOfMemoryError e) { // no thread to be had; callers go on by themselves
      lastProblem = "can't probe: " + e;
    }
  }

  private void opened(String message) {
    turns.lock();
    try {
      if (!breaker.isOpen()) return; // a probe that was under way has succeeded
      prober.start(this::isBack);
      admissions.stop();
      if (!told) tell(() -> listener.opened(message));
      told = true;
    } catch (OutOfMemoryError e) { // no thread to be had: without one the breaker can't stay open
      breaker.close();
      lastProblem = "can't probe: " + e;
    } finally {
      turns.unlock();
    }
  }

  private void isBack() {
    turns.lock();
    try {
      long lasted = breaker.lasted(ticker.micros());
      breaker.close();
      if (told) tell(() -> listener.closed(lasted));
      told = false;
      admissions.start();
    } finally {
      turns.unlock();
    }
  }

  private void probeFailed(Throwable problem) {
    lastProblem = "probe: " + (problem instanceof StoreException ? problem.getMessage() : problem);
  }

  /** A limiter must not fail because a metric does. */
  private static void tell(Runnable news) {
    try {
      news.run();
    } catch (RuntimeException e) {
      // Nobody is left to tell.
    }
  }

  /**
   * Whoever is denied should come back when the next probe has been, and not before the shortest
   * pause between two: nothing can have changed, and a fleet of callers would come for nothing.
   */
  private Fallback.Outage outage() {
    long now = ticker.micros();
    long retryAfter = Math.max(BackgroundProber.SHORTEST_MICROS, prober.dueAt() - now);
    return new Fallback.Outage(breaker.lasted(now), retryAfter);
  }

  private static Throwable causeOf(Throwable problem) {
    var cause = problem.getCause();
    return problem instanceof CompletionException && cause != null ? cause : problem;
  }
}
