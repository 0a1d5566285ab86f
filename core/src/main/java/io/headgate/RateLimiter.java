package io.headgate;

import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.InvalidCostException;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rule.UnusedCosts;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether requests may go ahead, by the rules that match them. {@link #check} is the usual
 * entry point.
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="limiter"}
 *
 * <p>Every check takes the same path: the rules that match the subject make a {@link Plan}, the
 * {@link Store} evaluates the plan atomically, and the outcomes make a {@link Decision}.
 *
 * <p>Safe for use by several threads. While the store is unavailable, a check throws {@link
 * StoreException} unless the store has a circuit breaker that applies each rule's {@code
 * on-store-failure} policy.
 */
public final class RateLimiter implements AutoCloseable {
  private final Store store;
  private final Ticker ticker;
  private final SlotIds slotIds = new SlotIds();
  private final Signals signals;
  private final Reservations reservations;
  private final Explainer explainer;
  private final ClientLeases leases;
  private final @Nullable ExpirySweeper expiry;
  private volatile RuleSet rules;

  private RateLimiter(Store store, RuleSet rules, Ticker ticker) {
    this.store = store;
    this.rules = rules;
    this.ticker = ticker;
    this.signals = new Signals(store, this::rules, ticker);
    signals.rulesChanged(rules);
    var tokens = new TokenReader(store, slotIds, ticker);
    this.reservations =
        new Reservations(
            store,
            this::plan,
            tokens,
            new ReservedCounters(
                this::rules, signals::tune, counter -> tokens.store().placeOf(counter)));
    this.explainer = new Explainer(signals, reservations);
    this.leases = new ClientLeases(store, request -> plan(request, false), tokens);
    boolean background = store.reservations().isPresent() && ticker.equals(Ticker.system());
    this.expiry = background ? new ExpirySweeper(reservations).start() : null;
  }

  /** Creates a limiter whose counters are kept in the memory of this JVM. */
  public static RateLimiter inMemory(RuleSet rules) {
    return with(MemoryStore.create(), rules);
  }

  /** Creates a limiter whose counters are kept in the memory of this JVM. */
  public static RateLimiter inMemory(List<Rule> rules) {
    return inMemory(RuleSet.of(rules));
  }

  /** Creates a limiter whose counters are kept in the memory of this JVM. */
  public static RateLimiter inMemory(Rule... rules) {
    return inMemory(RuleSet.of(rules));
  }

  /** Creates a limiter whose counters are kept in {@code store}, with the system's clock. */
  public static RateLimiter with(Store store, RuleSet rules) {
    return with(store, rules, Ticker.system());
  }

  /** Creates a limiter whose counters are kept in {@code store}, with the system's clock. */
  public static RateLimiter with(Store store, List<Rule> rules) {
    return with(store, RuleSet.of(rules));
  }

  /**
   * Creates a limiter with a given clock.
   *
   * @param ticker the clock for rule schedules, for {@link #await(Request) await} and for load
   *     shedding; counters use the store's clock
   */
  public static RateLimiter with(Store store, RuleSet rules, Ticker ticker) {
    return new RateLimiter(store, rules, ticker);
  }

  /** Checks a request of cost 1, and charges it if it is allowed. */
  public Decision check(Subject subject) {
    return check(Request.of(subject));
  }

  /**
   * Checks a request, and charges its costs if it is allowed. A denied request charges nothing.
   *
   * @throws InvalidCostException if the request lacks a cost that a rule requires
   */
  public Decision check(Request request) {
    var plan = plan(request);
    return CheckResult.decision(plan, decide(plan));
  }

  /** Checks a request of cost 1 as {@link #checkAsync(Request)} does. */
  public CompletionStage<Decision> checkAsync(Subject subject) {
    return checkAsync(Request.of(subject));
  }

  /** Checks as {@link #check(Request)} does, without blocking the calling thread. */
  public CompletionStage<Decision> checkAsync(Request request) {
    return checkForResultAsync(request).thenApply(CheckResult::decision);
  }

  /** Checks a request of cost 1 as {@link #checkForResult(Request)} does. */
  public CheckResult checkForResult(Subject subject) {
    return checkForResult(Request.of(subject));
  }

  /** Checks as {@link #check(Request)} does, and returns the state of every limit as well. */
  public CheckResult checkForResult(Request request) {
    var plan = plan(request);
    return new CheckResult(plan, decide(plan), true);
  }

  /** Checks a request of cost 1 as {@link #checkForResultAsync(Request)} does. */
  public CompletionStage<CheckResult> checkForResultAsync(Subject subject) {
    return checkForResultAsync(Request.of(subject));
  }

  /** Checks as {@link #checkForResult(Request)} does, without blocking the calling thread. */
  public CompletionStage<CheckResult> checkForResultAsync(Request request) {
    var plan = plan(request);
    return decideAsync(plan).thenApply(answer -> new CheckResult(plan, answer, true));
  }

  /** Decides several requests atomically: either all of them are charged or none is. */
  public JointResult checkAll(List<Request> requests) {
    var plan = CombinedPlan.of(plans(requests));
    return JointResult.of(plan, decide(plan.whole()));
  }

  /** Decides as {@link #checkAll} does, without blocking the calling thread. */
  public CompletionStage<JointResult> checkAllAsync(List<Request> requests) {
    return checkAllAsync(CombinedPlan.of(plans(requests)));
  }

  /** Decides a combined plan, which may contain plans of other rules than this limiter's. */
  public CompletionStage<JointResult> checkAllAsync(CombinedPlan plan) {
    return decideAsync(plan.whole()).thenApply(answer -> JointResult.of(plan, answer));
  }

  /** Returns the plan of each request, all by the same snapshot of the rules. */
  public List<Plan> plans(List<Request> requests) {
    var current = rules;
    long now = current.isScheduled() ? ticker.micros() : 0;
    long holder = current.hasConcurrency() ? slotIds.next() : 0;
    return requests.stream()
        .map(request ->
            signals.apply(
                current,
                requireCosts(current, current.plan(request, now, holder), request),
                request,
                true))
        .toList();
  }

  private static Plan requireCosts(RuleSet rules, Plan plan, Request request) {
    return rules.hasRequiredCosts() ? plan.requireCosts(request) : plan;
  }

  /**
   * Checks that a request has every cost that the rules require. Each check does so itself; a
   * caller of several checks can reject all of them before the first is charged.
   *
   * @throws InvalidCostException if one is missing
   */
  public void requireCosts(Request request) {
    var current = rules;
    if (!current.hasRequiredCosts()) return;
    long now = current.isScheduled() ? ticker.micros() : 0;
    var unused = current.plan(request, now, 0).requireCosts(request);
  }

  /**
   * Returns the costs of a request that no limit of a matching rule spends, which are charged to
   * nothing. Costs nothing for requests without named costs, unless the plain cost is above 1.
   */
  public UnusedCosts unusedCosts(Request request) {
    var current = rules;
    return current.unusedCosts(request, current.isScheduled() ? ticker.micros() : 0);
  }

  /** Peeks at a request of cost 1 as {@link #peek(Request)} does. */
  public CheckResult peek(Subject subject) {
    return peek(Request.of(subject));
  }

  /**
   * Returns whether {@link #checkForResult(Request)} would allow the request now, and after which
   * delay. Charges nothing, so {@code remaining} and {@code resetAfter} of the decision and of the
   * reports are the present state, before any charge.
   *
   * <p>The store evaluates the decision and the state in one call, so they agree with each other
   * under concurrent checks: an allowed peek reports enough permits for its cost. Only counters
   * that a store does not evaluate atomically, such as those in different hash slots of a Redis
   * Cluster, may be of different moments.
   */
  public CheckResult peek(Request request) {
    var plan = plan(request, false);
    var both = CombinedPlan.of(List.of(plan.atZeroCost(), plan));
    return CheckResult.ofPeek(plan, peek(both.whole()));
  }

  /**
   * Checks a request of cost 1 as {@link #await(Request)} does.
   *
   * @throws InterruptedException if the thread is interrupted while it waits; the request stays
   *     charged
   */
  public Decision await(Subject subject) throws InterruptedException {
    return await(Request.of(subject));
  }

  /**
   * Checks as {@link #check(Request)} does, and sleeps for the delay if the request is queued. Best
   * called from a virtual thread.
   *
   * @throws InterruptedException if the thread is interrupted while it waits. The request stays
   *     charged, since a place in the middle of the queue can't be given to another request
   */
  public Decision await(Request request) throws InterruptedException {
    var decision = check(request);
    if (decision instanceof Decision.Delayed delayed) {
      ticker.sleep(delayed.delay().toNanos() / 1_000);
    }
    return decision;
  }

  /** Acquires slots for a request of cost 1 as {@link #acquire(Request)} does. */
  public Slot acquire(Subject subject) {
    return acquire(Request.of(subject));
  }

  /**
   * Checks as {@link #checkForResult(Request)} does, and returns the acquired slots as a resource.
   */
  public Slot acquire(Request request) {
    return new Slot(this, ticker, checkForResult(request));
  }

  /** Reserves as {@link #reserve(Request, Duration)} does, for the time to live of the rules. */
  public Reservation reserve(Request request) {
    return reserve(request, ReservationSettings.MAX_TTL);
  }

  /**
   * Reserves the estimated costs of a request whose real cost is known only when it is over. The
   * costs are set aside in every limit of every rule that matches, or in none.
   *
   * <p>An estimate above the {@code max-share} of a rule is reduced, or the reservation is denied
   * as impossible, as the rule says. A limit with a named cost that the request does not name
   * reserves the rule's default.
   *
   * @param ttl the time after which the reservation expires unless it is updated; the shortest time
   *     of the rules if that is shorter
   * @throws IllegalArgumentException if {@code ttl} is shorter than a second or longer than an hour
   * @throws StoreException if the store is unavailable and has no circuit breaker, or has no room
   *     for another reservation
   * @throws UnsupportedOperationException if the store does not keep reservations
   */
  public Reservation reserve(Request request, Duration ttl) {
    return Reservations.await(reserveAsync(request, ttl));
  }

  /** Reserves as {@link #reserve(Request)} does, without blocking the calling thread. */
  public CompletionStage<Reservation> reserveAsync(Request request) {
    return reserveAsync(request, ReservationSettings.MAX_TTL);
  }

  /** Reserves as {@link #reserve(Request, Duration)} does, without blocking the calling thread. */
  public CompletionStage<Reservation> reserveAsync(Request request, Duration ttl) {
    return reservations.reserveAsync(request, ReservationSettings.requireTtl(ttl));
  }

  /** Returns the operations on reservations by their ids. */
  public Reservations reservations() {
    return reservations;
  }

  /** Returns the operations on permit leases of clients. */
  public ClientLeases leases() {
    return leases;
  }

  /**
   * Charges the costs of a request that was made without a check, even if they exceed the limits.
   * Later requests are denied until the debt is repaid.
   *
   * @return the state of the limits after the charge; never charged twice, and never denied because
   *     of a limit
   * @throws StoreException if the store is unavailable; part of the limits may have been charged
   * @throws UnsupportedOperationException if the store does not keep reservations
   */
  public CheckResult charge(Request request) {
    return Reservations.await(chargeAsync(request));
  }

  /** Charges as {@link #charge} does, without blocking the calling thread. */
  public CompletionStage<CheckResult> chargeAsync(Request request) {
    return reservations.chargeAsync(request);
  }

  /** Calls with {@link CallClassifier#standard}, for a request of cost 1. */
  public <T extends @Nullable Object> T call(Subject subject, Callable<T> call) throws Exception {
    return call(Request.of(subject), call, CallClassifier.standard());
  }

  /**
   * Acquires slots, calls, and releases the slots with the outcome and the duration of the call,
   * from which adaptive limits learn. Sleeps first if the request is queued.
   *
   * {@snippet file="io/headgate/LibraryExamplesTest.java" region="call"}
   *
   * @param classifier decides how the call ended
   * @return the result of the call
   * @throws CallDeniedException if the request is denied; the call is not made
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws Exception the exception of the call
   */
  public <T extends @Nullable Object> T call(
      Request request, Callable<T> call, CallClassifier<? super T> classifier) throws Exception {
    try (var slot = acquire(request)) {
      if (!slot.isAllowed()) throw new CallDeniedException(slot.result());
      long delay = slot.result().delay().toNanos() / 1_000;
      if (delay > 0) ticker.sleep(delay);
      return MeasuredCall.run(call, classifier, slot, ticker);
    }
  }

  /**
   * Renews the slots of one request, so that they expire a full lease from now.
   *
   * @param slotId the {@link Slot#id}
   * @return false if one of the slots has expired or was released
   * @throws IllegalArgumentException if {@code slotId} is not the id of a slot
   * @throws StoreException if the store that keeps a slot is unavailable
   */
  public boolean renew(String slotId) {
    return forEachSlot(slotId, Store::renew);
  }

  /**
   * Releases the slots of one request. Adaptive limits learn nothing from it.
   *
   * @param slotId the {@link Slot#id}
   * @return false if one of the slots has expired or was released before
   * @throws IllegalArgumentException if {@code slotId} is not the id of a slot
   * @throws StoreException if the store that keeps a slot is unavailable; slots that are kept
   *     locally are released all the same
   */
  public boolean release(String slotId) {
    return forEachSlot(slotId, Store::release);
  }

  /**
   * Releases the slots of one request after a call, from which adaptive limits learn. Returns and
   * fails as {@link #release(String)} does.
   *
   * @param call how the call ended
   */
  public boolean release(String slotId, CompletedCall call) {
    return forEachSlot(slotId, (to, slot) -> to.release(slot, call));
  }

  /**
   * Clears every counter of the subject under one rule. Includes the separate counters of overrides
   * even if the subject's other attributes don't match them.
   *
   * @param rule the id of the rule
   * @return whether the rule applies to the subject, or would if no other rule excused from it or
   *     denied every request
   */
  public boolean reset(Subject subject, String rule) {
    var current = rules;
    long now = current.isScheduled() ? ticker.micros() : 0;
    if (!current.applies(subject, rule, now)) return false;
    for (var charge : current.countersOf(subject, rule)) {
      store.reset(charge.counter(), charge.key());
    }
    return true;
  }

  /**
   * Explains for every rule whether and why it applies to the subject, with the state of its limits
   * if it does, and the permits that open reservations hold of them. Charges nothing.
   */
  public List<RuleExplanation> explain(Subject subject) {
    var current = rules; // read once, so that explanation and state are of the same snapshot
    long now = ticker.micros();
    var plan = signals.tune(current, current.plan(Request.of(subject, 0), now, 0));
    var reports = new CheckResult(plan, peek(plan), false).limits();
    return explainer.explain(current, subject, plan, reports, now);
  }

  /** Returns the current rules. */
  public RuleSet rules() {
    return rules;
  }

  /**
   * Replaces the rules, effective from the next check. A counter keeps its state if its rule and
   * limit keep their names; its usage is converted in proportion if the limit changed.
   */
  public void replaceRules(RuleSet rules) {
    this.rules = rules;
    signals.rulesChanged(rules);
  }

  /** Returns the load of backends, for rules that shed load. */
  public Signals signals() {
    return signals;
  }

  /** Returns the store that keeps the counters. */
  public Store store() {
    return store;
  }

  /** Closes the store. */
  @Override
  public void close() {
    signals.close();
    if (expiry != null) expiry.close();
    store.close();
  }

  private Plan plan(Request request) {
    return plan(request, true);
  }

  private Plan plan(Request request, boolean counted) {
    var current = rules;
    return current.isStatic()
        ? current.plan(request, 0, 0)
        : planAtPresent(current, request, counted);
  }

  /** Returns the plan of a request by rules that depend on the time, on slots or on signals. */
  private Plan planAtPresent(RuleSet current, Request request, boolean counted) {
    long now = current.isScheduled() ? ticker.micros() : 0;
    var plan = current.plan(request, now, current.hasConcurrency() ? slotIds.next() : 0);
    return signals.apply(current, requireCosts(current, plan, request), request, counted);
  }

  /**
   * Evaluates a plan; one without charges needs no store, and is decided while it is unavailable.
   */
  private PlanResult decide(Plan plan) {
    if (plan.isSingleEnforcedLimit()) return store.decide(plan); // the usual case, in one condition
    return plan.hasNoCharges() ? withoutStore(plan) : store.decide(plan.stored());
  }

  private CompletionStage<PlanResult> decideAsync(Plan plan) {
    return plan.hasNoCharges()
        ? CompletableFuture.completedFuture(withoutStore(plan))
        : store.decideAsync(plan.stored());
  }

  private PlanResult peek(Plan plan) {
    return plan.hasNoCharges() ? withoutStore(plan) : store.peek(plan.stored());
  }

  private static PlanResult withoutStore(Plan plan) {
    return plan.isShed() ? PlanResult.SHED : PlanResult.EMPTY;
  }

  private boolean forEachSlot(String slotId, BiPredicate<Store, Charge> action) {
    return SlotToken.decode(slotId).forEachSlot(rules, charge -> action.test(store, charge));
  }
}
