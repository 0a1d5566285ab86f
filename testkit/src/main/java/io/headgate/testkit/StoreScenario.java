package io.headgate.testkit;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Base of the store contracts: opens stores with a manual clock and creates plans. */
abstract class StoreScenario {
  private final List<Store> opened = new ArrayList<>();

  protected final ManualTicker clock = ManualTicker.create();

  /**
   * Creates an empty store that takes its time from {@code ticker}.
   *
   * <p>No scenario sets the time back by more than a second, since a store may evict states that
   * have been fresh for longer.
   */
  protected abstract Store open(Ticker ticker);

  protected final Store open() {
    var store = open(clock);
    opened.add(store);
    return store;
  }

  @AfterEach
  void closeStores() {
    opened.forEach(Store::close);
  }

  protected static Plan plan(Limit limit, String key) {
    return plan(limit, key, 1);
  }

  protected static Plan plan(Limit limit, String key, long cost) {
    return plan(limit, key, cost, 0);
  }

  /** Returns the plan of a request against one rule with one limit, whose counters are per key. */
  protected static Plan plan(Limit limit, String key, long cost, long holder) {
    var rule = Rule.named("rule").match("key", "*").limit(limit).build();
    return RuleSet.of(rule).plan(Request.of(Subject.of(key), cost), 0, holder);
  }

  protected static Charge charge(Plan plan) {
    return plan.charges().getFirst();
  }

  /** Charges the plan and returns the outcome of its first limit. */
  protected static Outcome decide(Store store, Plan plan) {
    return store.decide(plan).first();
  }

  /** Charges the plan and returns whether all of it passed. */
  protected static boolean passes(Store store, Plan plan) {
    return plan.allows(store.decide(plan).outcomes());
  }

  /** Charges the plan until its first limit denies. */
  protected static void exhaust(Store store, Plan plan) {
    while (decide(store, plan) instanceof Passed) {}
  }

  /** Resets all counters of the plan. */
  protected static void reset(Store store, Plan plan) {
    for (var charge : plan.charges()) store.reset(charge.counter(), charge.key());
  }
}
