package io.headgate;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.store.PlanResult;
import java.time.Duration;
import java.util.ArrayList;

/**
 * The plan of a reservation: the estimates of a request, each reduced to the largest part of its
 * limit that one reservation may hold. An estimate that a rule refuses instead costs more than its
 * limit has, so that a store refuses it in that limit, and the rule combines this outcome with
 * those of its other limits. Immutable.
 */
final class ReservationPlan {
  private final Plan plan;
  private final long[] requested;
  private final boolean[] refused; // estimates that are too high under rules that refuse these
  private final Duration ttl;

  private ReservationPlan(Plan plan, long[] requested, boolean[] refused, Duration ttl) {
    this.plan = plan;
    this.requested = requested;
    this.refused = refused;
    this.ttl = ttl;
  }

  /**
   * Computes the amounts to reserve.
   *
   * @param plan the plan of the request as a check would have it
   * @param ttl the time to live that the client asks for; the rules may shorten it
   */
  static ReservationPlan of(Plan plan, Request request, Duration ttl) {
    int size = plan.charges().size();
    var requested = new long[size];
    var granted = new long[size];
    var refused = new boolean[size];
    var shortest = ttl;
    for (var part : plan.parts()) {
      var settings = part.rule().reservation();
      if (settings.ttl().compareTo(shortest) < 0) shortest = settings.ttl();
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = plan.charges().get(i);
        requested[i] = estimate(charge, request, settings);
        long max = maxAmount(charge, settings);
        refused[i] = requested[i] > max && settings.excess() == Excess.REFUSE && part.isEnforced();
        granted[i] =
            refused[i]
                ? Math.max(requested[i], charge.limit().maxCost() + 1)
                : Math.min(requested[i], max);
      }
    }
    return new ReservationPlan(
        size == 0 ? plan : plan.withCosts(granted), requested, refused, shortest);
  }

  private static long estimate(Charge charge, Request request, ReservationSettings settings) {
    var name = charge.counter().cost();
    if (name.isEmpty()) return charge.cost();
    var named = request.costs().get(name.get());
    return named == null ? settings.defaultCost().orElse(1) : named;
  }

  /** Returns the largest amount that one reservation may hold of a limit. */
  static long maxAmount(Charge charge, ReservationSettings settings) {
    var limit = charge.limit();
    return limit instanceof SlotLimit
        ? limit.maxCost()
        : Math.min(limit.maxCost(), settings.maxAmount(limit.capacity()));
  }

  /** Returns the plan with the amounts to reserve. */
  Plan plan() {
    return plan;
  }

  Duration ttl() {
    return ttl;
  }

  long requested(int charge) {
    return requested[charge];
  }

  /**
   * Returns the result for the client: a refused estimate is reported with the largest amount that
   * a reservation may hold, and stays refused while a failure policy decides.
   *
   * @param decided the store's result of {@link #plan}
   */
  PlanResult result(PlanResult decided) {
    boolean any = false;
    for (boolean one : refused) any |= one;
    if (!any || decided.outcomes().isEmpty()) return decided;
    var outcomes = new ArrayList<Outcome>(decided.outcomes());
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        if (!refused[i]) continue;
        var state = outcomes.get(i);
        long max = maxAmount(plan.charges().get(i), part.rule().reservation());
        outcomes.set(
            i,
            new ExceedsCapacity(
                state.remaining(), state.resetAfter(), requested[i], max, state.limit()));
      }
    }
    return new PlanResult(outcomes, decided.source());
  }
}
