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

/** A store, a clock to turn by hand, and the words in which contracts are written. */
abstract class StoreScenario {
  private final List<Store> opened = new ArrayList<>();

  protected final ManualTicker clock = ManualTicker.create();

  /**
   * An empty store that takes its time from {@code ticker}.
   *
   * <p>Nothing that a scenario does lets time step back by more than a second: a store may forget
   * what has been fresh for longer.
   */
  protected abstract Store open(Ticker ticker);

  protected final Store open() {
    var store = open(clock);
    opened.add(store);
    return store;
  }

  @AfterEach
  void closeWhatWasOpened() {
    opened.forEach(Store::close);
  }

  protected static Plan plan(Limit limit, String key) {
    return plan(limit, key, 1);
  }

  protected static Plan plan(Limit limit, String key, long cost) {
    return plan(limit, key, cost, 0);
  }

  /** A request against one rule with one limit, whose counters are per key. */
  protected static Plan plan(Limit limit, String key, long cost, long holder) {
    var rule = Rule.named("rule").match("key", "*").limit(limit).build();
    return RuleSet.of(rule).plan(Request.of(Subject.of(key), cost), 0, holder);
  }

  protected static Charge charge(Plan plan) {
    return plan.charges().getFirst();
  }

  /** What the first limit says. */
  protected static Outcome ask(Store store, Plan plan) {
    return store.decide(plan).first();
  }

  /** Whether the whole plan passes. */
  protected static boolean passes(Store store, Plan plan) {
    return plan.allows(store.decide(plan).outcomes());
  }

  protected static void exhaust(Store store, Plan plan) {
    while (ask(store, plan) instanceof Passed) {}
  }

  protected static void reset(Store store, Plan plan) {
    for (var charge : plan.charges()) store.reset(charge.counter(), charge.key());
  }
}
