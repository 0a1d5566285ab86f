package io.headgate.internal.outage;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.AllowThenDeny;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Plan;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Decides plans without the store, each rule by its own failure policy.
 *
 * <p>A plan is still all or nothing: if the policy of an enforced rule denies, the other rules are
 * evaluated but not charged. Thread-safe.
 */
final class Fallback {
  /** The effect of a failure policy at a given time of the outage. */
  private enum Effect {
    ALLOW,
    DENY,
    LOCAL
  }

  private enum Use {
    PEEK,
    CHARGE,
    CHARGE_AND_REPORT
  }

  /**
   * The state of an outage.
   *
   * @param duration the time since its first failure, in microseconds
   * @param retryAfter when a denied request may succeed, in microseconds
   */
  record Outage(long duration, long retryAfter) {}

  private final MemoryStore local;
  private final IntSupplier instances;
  private final LocalAdmissions admissions;
  private final LastAnswers answers;

  Fallback(
      MemoryStore local, IntSupplier instances, LocalAdmissions admissions, LastAnswers answers) {
    this.local = local;
    this.instances = instances;
    this.admissions = admissions;
    this.answers = answers;
  }

  /**
   * Decides a plan, charging the local shares.
   *
   * @param reported whether the store is charged for the admission when it is available again
   */
  PlanResult decide(Plan plan, Outage outage, boolean reported) {
    return evaluate(plan, outage, reported ? Use.CHARGE_AND_REPORT : Use.CHARGE);
  }

  /** Evaluates a plan without charging it. */
  PlanResult peek(Plan plan, Outage outage) {
    return evaluate(plan, outage, Use.PEEK);
  }

  /**
   * A decision on a request whose reply is late.
   *
   * @param allowed the charges that belong to an allowed request
   * @param counted those of them that the store is to have made; a policy that allows requests
   *     counts none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Late(PlanResult result, boolean[] allowed, boolean[] counted) {}

  /**
   * Decides a plan whose reply is late, and that the store may have charged: rules with policy
   * local by its last answers, the others by their policies.
   *
   * @param sent whether the store has the request. If not, it grants no slots: it would not know
   *     them
   * @param admit is called for each counted charge before another request is decided
   */
  Late decideLate(Plan plan, Outage outage, long now, boolean sent, Consumer<Charge> admit) {
    var terms = new LastAnswers.Terms(now, instances.getAsInt(), outage.retryAfter);
    var taken = new HashMap<CounterShare, Long>();
    synchronized (answers) { // requests must not spend the same permits
      var outcomes = new ArrayList<Outcome>(plan.charges().size());
      var byAnswer = new boolean[plan.charges().size()];
      boolean byPolicy = false;
      for (var part : plan.parts()) {
        var effect = effectOf(part, outage);
        byPolicy |= effect != Effect.LOCAL && !part.counters().isEmpty();
        for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
          var charge = plan.charges().get(i);
          byAnswer[i] = effect == Effect.LOCAL;
          outcomes.add(
              switch (effect) {
                case ALLOW -> new Passed(charge.limit().capacity(), 0, 0);
                case DENY -> new Refused(0, outage.retryAfter, outage.retryAfter);
                case LOCAL -> byAnswer(charge, terms, sent, taken);
              });
        }
      }
      var allowed = plan.charged(outcomes);
      var counted = allowed.clone();
      for (int i = 0; i < counted.length; i++) {
        counted[i] &= byAnswer[i];
        if (counted[i]) admit.accept(plan.charges().get(i));
      }
      var source = byPolicy ? Source.FALLBACK : Source.CACHE;
      return new Late(new PlanResult(outcomes, source), allowed, counted);
    }
  }

  private Outcome byAnswer(
      Charge charge, LastAnswers.Terms terms, boolean sent, Map<CounterShare, Long> taken) {
    if (!sent && charge.limit() instanceof SlotLimit) {
      return new Refused(0, terms.retryAfter(), terms.retryAfter());
    }
    var counter = CounterShare.of(charge);
    long before = taken.getOrDefault(counter, 0L);
    var outcome = answers.outcome(charge, admissions.owed(charge) + before, terms);
    if (outcome instanceof Passed) taken.put(counter, before + charge.cost());
    return outcome;
  }

  private PlanResult evaluate(Plan plan, Outage outage, Use use) {
    boolean denied = false;
    for (var part : plan.parts()) {
      denied |= part.isEnforced() && effectOf(part, outage) == Effect.DENY;
    }
    var shareOutcomes = localOutcomes(plan, outage, use, denied).iterator();
    var outcomes = new ArrayList<Outcome>(plan.charges().size());
    for (var part : plan.parts()) {
      var effect = effectOf(part, outage);
      for (int i = 0; i < part.counters().size(); i++) {
        var charge = plan.charges().get(part.from() + i);
        outcomes.add(
            switch (effect) {
              case ALLOW -> new Passed(charge.limit().capacity(), 0, 0);
              case DENY -> new Refused(0, outage.retryAfter, outage.retryAfter);
              case LOCAL -> relativeToLimit(shareOutcomes.next(), charge, outage);
            });
      }
    }
    return new PlanResult(outcomes, Source.FALLBACK);
  }

  private static Effect effectOf(Plan.Part part, Outage outage) {
    return switch (part.rule().onStoreFailure()) {
      case Allow allow -> Effect.ALLOW;
      case Deny deny -> Effect.DENY;
      case Local policy -> Effect.LOCAL;
      case AllowThenDeny(Duration grace) ->
          grace.compareTo(Duration.of(outage.duration, ChronoUnit.MICROS)) > 0
              ? Effect.ALLOW
              : Effect.DENY;
    };
  }

  /** Returns the outcomes of the limits with policy {@code local}, in the order of the plan. */
  private List<Outcome> localOutcomes(Plan plan, Outage outage, Use use, boolean denied) {
    var shares =
        plan.dividedBy(
            Math.max(1, instances.getAsInt()), part -> effectOf(part, outage) == Effect.LOCAL);
    if (shares.charges().isEmpty()) return List.of();
    if (denied) return uncharged(shares);
    if (use == Use.PEEK) return local.peek(shares).outcomes();
    var outcomes = local.decide(shares).outcomes();
    if (use == Use.CHARGE_AND_REPORT) recordAdmissions(plan, outage, shares, outcomes);
    return outcomes;
  }

  private void recordAdmissions(Plan plan, Outage outage, Plan shares, List<Outcome> outcomes) {
    var charged = shares.charged(outcomes);
    int at = 0;
    for (var part : plan.parts()) {
      if (effectOf(part, outage) != Effect.LOCAL) continue;
      for (int i = 0; i < part.counters().size(); i++, at++) {
        if (charged[at]) {
          admissions.add(plan.charges().get(part.from() + i), shares.charges().get(at));
        }
      }
    }
  }

  /**
   * Returns the outcomes of a plan that another rule denies. As in a store, a limit that would pass
   * reports its permits without the charge.
   */
  private List<Outcome> uncharged(Plan shares) {
    var requested = local.peek(shares).outcomes();
    var atZeroCost = local.peek(shares.atZeroCost()).outcomes();
    var outcomes = new ArrayList<Outcome>(requested.size());
    for (int i = 0; i < requested.size(); i++) {
      outcomes.add(requested.get(i) instanceof Passed ? atZeroCost.get(i) : requested.get(i));
    }
    return outcomes;
  }

  /**
   * Converts an outcome of a share into one of the whole limit. A cost above the share's capacity
   * may be within the capacity of the limit: it is then refused until the store is available,
   * rather than impossible.
   */
  private static Outcome relativeToLimit(Outcome outcome, Charge charge, Outage outage) {
    if (!(outcome instanceof ExceedsCapacity exceeds)) return outcome;
    long maxCost = charge.limit().maxCost();
    return exceeds.cost() > maxCost // includes earlier charges to the counter in a combined plan
        ? new ExceedsCapacity(
            exceeds.remaining(), exceeds.resetAfter(), exceeds.cost(), maxCost, exceeds.limit())
        : new Refused(
            exceeds.remaining(), exceeds.resetAfter(), outage.retryAfter, exceeds.limit());
  }
}
