package io.headgate.internal.consistency;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides a plan of several charges of which some or all have local counters, all or nothing.
 *
 * <p>Local counters are charged first, since these charges can be refunded without any effect on
 * other instances. Then the store decides the remaining charges. Used by one thread at a time.
 */
final class LocalTransaction {
  private final Plan plan;
  private final @Nullable LocalCounter[] counters; // null: the store decides
  private final @Nullable Outcome[] outcomes;
  private final boolean[] charged;
  private final int[] reportCounts;
  private boolean denied;

  LocalTransaction(Plan plan, @Nullable LocalCounter[] counters) {
    this.plan = plan;
    this.counters = counters;
    this.outcomes = new @Nullable Outcome[counters.length];
    this.charged = new boolean[counters.length];
    this.reportCounts = new int[counters.length];
  }

  /**
   * Charges the local counters; charges none of them if one denies or can't decide.
   *
   * @return the indexes of the charges that only the store can decide; empty if all local counters
   *     have decided
   */
  List<Integer> attempt(long now) {
    var undecided = new ArrayList<Integer>();
    denied = false;
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var counter = counters[i];
        if (counter == null) continue;
        reportCounts[i] = counter.reportCount();
        outcomes[i] = counter.spend(plan.charges().get(i), now);
        charged[i] = outcomes[i] instanceof Passed;
        if (outcomes[i] == null) undecided.add(i);
        else denied |= part.isEnforced() && !(outcomes[i] instanceof Passed);
      }
    }
    if (denied || !undecided.isEmpty()) rollBack(now);
    else rollBackRefusedShadowRules(now);
    return denied ? List.of() : undecided;
  }

  /** Refunds all local charges. */
  void rollBack(long now) {
    for (int i = 0; i < counters.length; i++) refund(i, now);
  }

  /**
   * A rule that does not pass is not charged. A shadow rule does not prevent the charges of others.
   */
  private void rollBackRefusedShadowRules(long now) {
    for (var part : plan.parts()) {
      int end = part.from() + part.counters().size();
      boolean refused = false;
      for (int i = part.from(); i < end; i++) refused |= counters[i] != null && !charged[i];
      if (!refused) continue;
      for (int i = part.from(); i < end; i++) refund(i, now);
    }
  }

  private void refund(int index, long now) {
    var counter = counters[index];
    if (counter == null || !charged[index]) return;
    charged[index] = false;
    counter.refund(plan.charges().get(index).cost(), reportCounts[index]);
    outcomes[index] = counter.peek(now);
  }

  /** Returns the plan for the store to decide, at no cost if a local counter has denied. */
  Plan remotePlan() {
    var remote = plan.filter(part -> counters[part.from()] == null);
    return denied ? remote.atZeroCost() : remote;
  }

  /**
   * Returns the result of the whole plan, and refunds the local charges if the store has denied.
   *
   * @param remoteResult the store's result for {@code remotePlan}
   */
  PlanResult complete(PlanResult remoteResult, Plan remotePlan, long now) {
    if (!denied && !remotePlan.allows(remoteResult.outcomes())) {
      denied = true;
      rollBack(now);
    }
    var remoteOutcomes = remoteResult.outcomes().iterator();
    var all = new ArrayList<Outcome>(outcomes.length);
    var source = remoteResult.source();
    for (int i = 0; i < outcomes.length; i++) {
      var local = outcomes[i];
      var counter = counters[i];
      all.add(local == null || counter == null ? remoteOutcomes.next() : local);
      if (local != null && counter != null && source == Source.STORE) {
        source = counter.source(local);
      }
    }
    return new PlanResult(all, source);
  }
}
