package io.headgate.consistency;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plan of several charges of which some, or all, are spent here: all of it or nothing.
 *
 * <p>What is here is spent first, since that can be taken back without anybody noticing; then the
 * store decides the rest.
 */
final class LocalTransaction {
  private final Plan plan;
  private final @Nullable LocalCounter[] counters; // null: the store decides
  private final @Nullable Outcome[] outcomes;
  private final boolean[] spent;
  private final int[] tellings;
  private boolean denied;

  LocalTransaction(Plan plan, @Nullable LocalCounter[] counters) {
    this.plan = plan;
    this.counters = counters;
    this.outcomes = new @Nullable Outcome[counters.length];
    this.spent = new boolean[counters.length];
    this.tellings = new int[counters.length];
  }

  /**
   * Spends what is here; if that is not all, nothing.
   *
   * @return the charges of which only the store knows
   */
  List<Integer> attempt(long now) {
    var missing = new ArrayList<Integer>();
    denied = false;
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var counter = counters[i];
        if (counter == null) continue;
        tellings[i] = counter.tellings();
        outcomes[i] = counter.spend(plan.charges().get(i), now);
        spent[i] = outcomes[i] instanceof Passed;
        if (outcomes[i] == null) missing.add(i);
        else denied |= part.isEnforced() && !(outcomes[i] instanceof Passed);
      }
    }
    if (denied || !missing.isEmpty()) takeBack(now);
    else takeBackRefusedShadows(now);
    return denied ? List.of() : missing;
  }

  /** Returns all permits that were spent by {@link #attempt}. */
  void takeBack(long now) {
    for (int i = 0; i < counters.length; i++) takeBack(i, now);
  }

  /**
   * A rule that does not pass is not charged. A shadow rule does not keep other rules from being
   * charged.
   */
  private void takeBackRefusedShadows(long now) {
    for (var part : plan.parts()) {
      int end = part.from() + part.counters().size();
      boolean refused = false;
      for (int i = part.from(); i < end; i++) refused |= counters[i] != null && !spent[i];
      if (!refused) continue;
      for (int i = part.from(); i < end; i++) takeBack(i, now);
    }
  }

  private void takeBack(int index, long now) {
    var counter = counters[index];
    if (counter == null || !spent[index]) return;
    spent[index] = false;
    counter.giveBack(plan.charges().get(index).cost(), tellings[index]);
    outcomes[index] = counter.standing(now);
  }

  /** What the store has to decide; nothing of it is charged if it is denied here already. */
  Plan rest() {
    var rest = plan.only(part -> counters[part.from()] == null);
    return denied ? rest.atNoCost() : rest;
  }

  /** The answer, given the store's to {@link #rest}. */
  PlanResult with(PlanResult restAnswer, Plan rest, long now) {
    if (!denied && !rest.allows(restAnswer.outcomes())) {
      denied = true;
      takeBack(now);
    }
    var theirs = restAnswer.outcomes().iterator();
    var all = new ArrayList<Outcome>(outcomes.length);
    var source = restAnswer.source();
    for (int i = 0; i < outcomes.length; i++) {
      var own = outcomes[i];
      var counter = counters[i];
      all.add(own == null || counter == null ? theirs.next() : own);
      if (own != null && counter != null && source == Source.STORE) {
        source = counter.source(own);
      }
    }
    return new PlanResult(all, source);
  }
}
