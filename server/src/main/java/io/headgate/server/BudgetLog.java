package io.headgate.server;

import io.headgate.store.Budget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Logs that clients are refused because an internal budget is used up: one warning in the first
 * second, then one a minute while the refusals last. Confined to the thread of the statistics.
 */
final class BudgetLog {
  static final long INTERVAL_MILLIS = 60_000;

  private record Total(long used, long limit, long refused, String advice) {
    static Total of(Budget budget) {
      return new Total(budget.used(), budget.limit(), budget.refused(), budget.advice());
    }

    Total plus(Total other) {
      return new Total(used + other.used, limit + other.limit, refused + other.refused, advice);
    }
  }

  /** The state of the log of one budget. */
  private record Logged(long refused, long atMillis) {}

  private final Supplier<List<Budget>> budgets;
  private final Logger log;
  private final Map<String, Logged> logged = new HashMap<>();

  BudgetLog(Supplier<List<Budget>> budgets, Logger log) {
    this.budgets = budgets;
    this.log = log;
  }

  /**
   * Handles one second.
   *
   * @param nowMillis the end of the second
   */
  void onSecond(long nowMillis) {
    var totals = new HashMap<String, Total>();
    for (var budget : budgets.get()) totals.merge(budget.name(), Total.of(budget), Total::plus);
    totals.forEach((name, total) -> onSecond(nowMillis, name, total));
  }

  private void onSecond(long nowMillis, String name, Total total) {
    var last = logged.get(name);
    long before = last == null ? 0 : last.refused;
    if (total.refused == before) return;
    if (last != null && nowMillis - last.atMillis < INTERVAL_MILLIS) return;
    logged.put(name, new Logged(total.refused, nowMillis));
    log.warn(
        "refused {} times because the budget {} was used up ({} of {} are in use): {}",
        total.refused - before,
        name,
        total.used,
        total.limit,
        total.advice);
  }
}
