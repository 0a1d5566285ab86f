package io.headgate;

import io.headgate.limit.Concurrency;
import io.headgate.rule.Charge;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * May this request go ahead? Ask with {@link #check}; the rest is for those who want to know more.
 *
 * <p>Safe for any number of threads. One path serves every question: the subject's rules make a
 * plan, the store runs it, the outcome is a decision.
 */
public final class RateLimiter implements AutoCloseable {
  private final Store store;
  private final Ticker ticker;
  private final SlotIds holders = new SlotIds();
  private volatile RuleSet rules;

  private RateLimiter(Store store, RuleSet rules, Ticker ticker) {
    this.store = store;
    this.rules = rules;
    this.ticker = ticker;
  }

  /** A limiter for this JVM alone, with no set-up. */
  public static RateLimiter inMemory(RuleSet rules) {
    return with(MemoryStore.create(), rules);
  }

  public static RateLimiter inMemory(List<Rule> rules) {
    return inMemory(RuleSet.of(rules));
  }

  public static RateLimiter inMemory(Rule... rules) {
    return inMemory(RuleSet.of(rules));
  }

  public static RateLimiter with(Store store, RuleSet rules) {
    return with(store, rules, Ticker.system());
  }

  public static RateLimiter with(Store store, List<Rule> rules) {
    return with(store, RuleSet.of(rules));
  }

  /**
   * A limiter with a clock of its own.
   *
   * @param ticker for the schedules of rules and for waiting; states are kept by the store's clock
   */
  public static RateLimiter with(Store store, RuleSet rules, Ticker ticker) {
    return new RateLimiter(store, rules, ticker);
  }

  /** Asks at a cost of 1, and charges it if the answer is yes. */
  public Decision check(Subject subject) {
    return check(Request.of(subject));
  }

  public Decision check(Subject subject, long cost) {
    return check(Request.of(subject, cost));
  }

  public Decision check(Request request) {
    var plan = plan(request);
    return CheckResult.decision(plan, store.decide(plan));
  }

  public CompletionStage<Decision> checkAsync(Request request) {
    return checkForResultAsync(request).thenApply(CheckResult::decision);
  }

  /** As {@link #check}, and says what the decision rests on. */
  public CheckResult checkForResult(Request request) {
    var plan = plan(request);
    return new CheckResult(plan, store.decide(plan), true);
  }

  public CompletionStage<CheckResult> checkForResultAsync(Request request) {
    var plan = plan(request);
    return store.decideAsync(plan).thenApply(answer -> new CheckResult(plan, answer, true));
  }

  /** Decides several requests as one: all of them are charged, or none is. */
  public JointResult checkAll(List<Request> requests) {
    var plan = CombinedPlan.of(plans(requests));
    return JointResult.of(plan, store.decide(plan.whole()));
  }

  public CompletionStage<JointResult> checkAllAsync(List<Request> requests) {
    return checkAllAsync(CombinedPlan.of(plans(requests)));
  }

  /** As above, for requests of which some are not held against the rules in force. */
  public CompletionStage<JointResult> checkAllAsync(CombinedPlan plan) {
    return store.decideAsync(plan.whole()).thenApply(answer -> JointResult.of(plan, answer));
  }

  /** What each of these requests is held against, all by the rules of one moment. */
  public List<Plan> plans(List<Request> requests) {
    var current = rules;
    long now = current.isScheduled() ? ticker.micros() : 0;
    long holder = current.hasConcurrency() ? holders.next() : 0;
    return requests.stream().map(request -> current.plan(request, now, holder)).toList();
  }

  /** What {@link #checkForResult} would say, charging nothing. */
  public CheckResult peek(Request request) {
    var plan = plan(request);
    return new CheckResult(plan, store.peek(plan), false);
  }

  /**
   * As {@link #check}, and if the answer is to wait for a place in a line, waits. Parks the thread:
   * made for virtual ones. An interrupted caller keeps its place charged, for nobody else can take
   * a place in the middle of a line.
   */
  public Decision await(Request request) throws InterruptedException {
    var decision = check(request);
    if (decision instanceof Decision.Delayed delayed) {
      ticker.sleep(delayed.delay().toNanos() / 1_000);
    }
    return decision;
  }

  /** As {@link #checkForResult}, for requests that hold a slot until they are done. */
  public Slot acquire(Request request) {
    return new Slot(this, checkForResult(request));
  }

  public Slot acquire(Subject subject) {
    return acquire(Request.of(subject));
  }

  /**
   * Extends a lease to its full length from now; false if it has ended already.
   *
   * @throws StoreException if the store that keeps it is away
   */
  public boolean renew(String lease) {
    return forEachSlot(lease, Store::renew);
  }

  /**
   * Ends a lease; false if it had ended already.
   *
   * @throws StoreException if the store that keeps it is away; what is kept here is released
   */
  public boolean release(String lease) {
    return forEachSlot(lease, Store::release);
  }

  /**
   * Clears every counter of the subject under one rule, those of overrides that are counted apart
   * included, whether or not this subject's other attributes match them.
   *
   * @return whether the rule applies to the subject at all
   */
  public boolean reset(Subject subject, String rule) {
    var current = rules;
    long now = current.isScheduled() ? ticker.micros() : 0;
    boolean applies =
        current.plan(Request.of(subject), now, 0).parts().stream()
            .anyMatch(part -> part.rule().id().equals(rule));
    if (!applies) return false;
    for (var charge : current.countersOf(subject, rule)) {
      store.reset(charge.counter(), charge.key());
    }
    return true;
  }

  /** Says of every rule whether it applies, why or why not, and how its limits stand. */
  public List<RuleExplanation> explain(Subject subject) {
    var current = rules; // read once: why a rule applies and how it stands belong together
    long now = ticker.micros();
    var plan = current.plan(Request.of(subject, 0), now, 0);
    var reports = new CheckResult(plan, store.peek(plan), false).limits();
    var all = new ArrayList<RuleExplanation>();
    for (var explanation : current.explain(subject, now)) {
      var own = reports.stream().filter(r -> r.rule().equals(explanation.rule().id())).toList();
      all.add(new RuleExplanation(explanation, explanation.applies() ? own : List.of()));
    }
    return all;
  }

  public RuleSet rules() {
    return rules;
  }

  /**
   * Puts other rules in force, from the next check on. Counters of the same name go on: who was
   * throttled stays so, in proportion, under the new limit.
   */
  public void replaceRules(RuleSet rules) {
    this.rules = rules;
  }

  public Store store() {
    return store;
  }

  @Override
  public void close() {
    store.close();
  }

  private Plan plan(Request request) {
    var current = rules;
    long now = current.isScheduled() ? ticker.micros() : 0;
    return current.plan(request, now, current.hasConcurrency() ? holders.next() : 0);
  }

  private boolean forEachSlot(String lease, BiPredicate<Store, Charge> action) {
    var ticket = SlotToken.decode(lease);
    boolean all = true;
    @Nullable StoreException problem = null;
    for (var slot : ticket.slots()) {
      var counter = rules.counter(slot.rule(), slot.override(), slot.name());
      try {
        boolean done =
            counter.isPresent()
                && counter.get().limit() instanceof Concurrency
                && action.test(store, new Charge(counter.get(), slot.key(), 0, ticket.holder()));
        all &= done;
      } catch (StoreException e) {
        problem = e; // the others may be kept here
      }
    }
    if (problem != null) throw problem;
    return all;
  }
}
