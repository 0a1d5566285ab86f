package io.headgate.server.simulation;

import io.headgate.limit.Outcome;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.rule.Plan;
import io.headgate.rule.RuleSet;
import io.headgate.store.MemoryStore;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Simulates one rule set from a fresh state, with a clock driven by the requests. Decides exactly
 * as the service does, with the same plans and the in-memory store. Not thread-safe.
 *
 * <p>Slots of concurrency limits are not released; they are held until their lease ends.
 */
public final class RuleSimulator implements AutoCloseable {
  private final RuleSet rules;
  private final AtomicLong clock = new AtomicLong();
  private final MemoryStore store;
  private final Map<String, RuleTotals> totalsByRule = new HashMap<>();
  private final List<RuleTotals> ruleOrder = new ArrayList<>();
  private final Map<SimulatedDecision, long[]> totalsByDecision =
      new EnumMap<>(SimulatedDecision.class);
  private final SimulationBudget budget;
  private final int keyCheckInterval;
  private long slotIds;
  private long storedRequests;
  private long peakKeys;

  /**
   * Creates a simulator.
   *
   * @param budget bounds the memory of the simulation
   */
  public RuleSimulator(RuleSet rules, SimulationBudget budget) {
    this.rules = rules;
    this.budget = budget;
    this.keyCheckInterval = Math.clamp(budget.keys() / 16, 1, 1_024);
    this.store = MemoryStore.create(clock::get, budget.keys());
    for (var rule : rules.rules()) {
      var ruleTotals = new RuleTotals(rule);
      totalsByRule.put(rule.id(), ruleTotals);
      ruleOrder.add(ruleTotals);
    }
    for (var decision : SimulatedDecision.values()) totalsByDecision.put(decision, new long[1]);
  }

  /** Decides a request. A request with an earlier time is decided at the current time. */
  SimulatedDecision check(Arrival arrival) {
    if (arrival.micros() > clock.getPlain()) clock.set(arrival.micros());
    var plan = rules.plan(arrival.request(), clock.getPlain(), slotIds++);
    var outcomes = store.decide(plan.stored()).outcomes();
    if (slotIds % keyCheckInterval == 0) peakKeys = Math.max(peakKeys, store.trackedKeys());
    long maxDelay = 0;
    boolean allowed = true;
    for (var part : plan.parts()) {
      boolean denied = part.retryAfter(outcomes) > 0;
      long delay = denied ? 0 : delay(part, outcomes);
      ruleTotals(part).count(denied, delay);
      if (!part.isEnforced()) continue;
      allowed &= !denied;
      maxDelay = Math.max(maxDelay, delay);
    }
    var decision =
        !allowed
            ? SimulatedDecision.DENIED
            : maxDelay > 0 ? SimulatedDecision.DELAYED : SimulatedDecision.ADMITTED;
    counter(decision)[0]++;
    if (allowed && budget.requests() < Long.MAX_VALUE) countStoredRequests(plan, outcomes);
    return decision;
  }

  /**
   * Counts the requests stored individually by rolling windows and concurrency limits. Expiry is
   * ignored, which gives an upper bound and is cheaper than inspecting the states.
   */
  private void countStoredRequests(Plan plan, List<Outcome> outcomes) {
    for (int i = 0; i < outcomes.size(); i++) {
      if (!(outcomes.get(i) instanceof Outcome.Passed)) continue;
      var limit = plan.charges().get(i).limit();
      if (limit instanceof RollingWindow || limit instanceof SlotLimit) storedRequests++;
    }
    if (storedRequests > budget.requests()) throw new SimulationBudget.Exceeded(budget.requests());
  }

  private static long delay(Plan.Part part, List<Outcome> outcomes) {
    long maxDelay = 0;
    for (int i = 0; i < part.counters().size(); i++) {
      if (outcomes.get(part.from() + i) instanceof Outcome.Passed passed) {
        maxDelay = Math.max(maxDelay, passed.delay());
      }
    }
    return maxDelay;
  }

  private RuleTotals ruleTotals(Plan.Part part) {
    var ruleTotals = totalsByRule.get(part.rule().id());
    if (ruleTotals == null)
      throw new IllegalStateException("no rule '%s'".formatted(part.rule().id()));
    return ruleTotals;
  }

  private long[] counter(SimulatedDecision decision) {
    var counter = totalsByDecision.get(decision);
    if (counter == null) throw new IllegalStateException("no counter for " + decision);
    return counter;
  }

  /** Returns the number of requests with a decision. */
  public long total(SimulatedDecision decision) {
    return counter(decision)[0];
  }

  /** Returns the largest number of counters that had a state at once, as far as it was sampled. */
  public long peakKeys() {
    return Math.max(peakKeys, store.trackedKeys());
  }

  /**
   * Returns whether counters may have been evicted. The store is partitioned, and the first
   * partition is full slightly before all are.
   */
  public boolean mayHaveEvicted() {
    return peakKeys() >= budget.keys() - budget.keys() / 8;
  }

  public SimulationBudget budget() {
    return budget;
  }

  /** Returns the totals of each rule, in rule order. */
  public List<RuleTotals> byRule() {
    return ruleOrder;
  }

  public RuleSet rules() {
    return rules;
  }

  @Override
  public void close() {
    store.close();
  }
}
