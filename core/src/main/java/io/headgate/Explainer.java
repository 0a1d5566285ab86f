package io.headgate;

import io.headgate.rule.Plan;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.List;

/** Explains the rules of one snapshot for a subject. Thread-safe. */
final class Explainer {
  private final Signals signals;
  private final Reservations reservations;

  Explainer(Signals signals, Reservations reservations) {
    this.signals = signals;
    this.reservations = reservations;
  }

  /**
   * Returns an explanation of every rule.
   *
   * @param plan the plan of the subject at zero cost
   * @param reports the state of the limits of the plan
   */
  List<RuleExplanation> explain(
      RuleSet rules, Subject subject, Plan plan, List<LimitReport> reports, long now) {
    var holds = plan.hasNoCharges() ? OpenHolds.NONE : holds();
    var all = new ArrayList<RuleExplanation>();
    for (var explanation : rules.explain(subject, now)) {
      String rule = explanation.rule().id();
      boolean applies = explanation.applies();
      var own = reports.stream().filter(report -> report.rule().equals(rule)).toList();
      all.add(
          new RuleExplanation(
              explanation,
              applies ? own : List.of(),
              signals.explain(plan, explanation.rule(), subject),
              applies ? held(plan, rule, holds) : List.of()));
    }
    return all;
  }

  /** A store whose reservations can't be read explains its limits nevertheless. */
  private OpenHolds holds() {
    try {
      return Reservations.await(reservations.holds());
    } catch (StoreException | UnsupportedOperationException e) {
      return OpenHolds.NONE;
    }
  }

  private static List<HeldPermits> held(Plan plan, String rule, OpenHolds holds) {
    var held = new ArrayList<HeldPermits>();
    for (var charge : plan.charges()) {
      var counter = charge.counter();
      if (!counter.rule().equals(rule)) continue;
      holds
          .of(rule, counter.id(), charge.key())
          .ifPresent(found -> held.add(found.withLimit(counter.name())));
    }
    return held;
  }
}
