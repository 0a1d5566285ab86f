package io.headgate.outage;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
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
import java.util.List;
import java.util.function.IntSupplier;

/**
 * What the rules of a plan say without the store, each by its own policy.
 *
 * <p>All or nothing still: where an enforced rule denies, the others are asked but not charged.
 */
final class Fallback {
  /** What a policy comes down to at one moment. */
  private enum Word {
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
   * How things stand with the outage.
   *
   * @param lasted in microseconds
   * @param retryAfter when things may be different
   */
  record Outage(long lasted, long retryAfter) {}

  private final MemoryStore local;
  private final IntSupplier instances;
  private final LocalAdmissions admissions;

  Fallback(MemoryStore local, IntSupplier instances, LocalAdmissions admissions) {
    this.local = local;
    this.instances = instances;
    this.admissions = admissions;
  }

  /**
   * @param reported whether the store is to be charged later for what is admitted here
   */
  PlanResult decide(Plan plan, Outage outage, boolean reported) {
    return answer(plan, outage, reported ? Use.CHARGE_AND_REPORT : Use.CHARGE);
  }

  PlanResult peek(Plan plan, Outage outage) {
    return answer(plan, outage, Use.PEEK);
  }

  private PlanResult answer(Plan plan, Outage outage, Use use) {
    boolean denied = false;
    for (var part : plan.parts()) {
      denied |= part.isEnforced() && word(part, outage) == Word.DENY;
    }
    var locally = locally(plan, outage, use, denied).iterator();
    var outcomes = new ArrayList<Outcome>(plan.charges().size());
    for (var part : plan.parts()) {
      var word = word(part, outage);
      for (int i = 0; i < part.counters().size(); i++) {
        var charge = plan.charges().get(part.from() + i);
        outcomes.add(
            switch (word) {
              case ALLOW -> new Passed(charge.limit().capacity(), 0, 0);
              case DENY -> new Refused(0, outage.retryAfter, outage.retryAfter);
              case LOCAL -> ofTheWhole(locally.next(), charge, outage);
            });
      }
    }
    return new PlanResult(outcomes, Source.FALLBACK);
  }

  private static Word word(Plan.Part part, Outage outage) {
    return switch (part.rule().onStoreFailure()) {
      case Allow allow -> Word.ALLOW;
      case Deny deny -> Word.DENY;
      case Local here -> Word.LOCAL;
      case AllowThenDeny(Duration grace) ->
          grace.compareTo(Duration.of(outage.lasted, ChronoUnit.MICROS)) > 0
              ? Word.ALLOW
              : Word.DENY;
    };
  }

  /** What the limits say that are enforced here, in their order. */
  private List<Outcome> locally(Plan plan, Outage outage, Use use, boolean denied) {
    var shares =
        plan.dividedBy(Math.max(1, instances.getAsInt()), part -> word(part, outage) == Word.LOCAL);
    if (shares.charges().isEmpty()) return List.of();
    if (denied) return untouched(shares);
    if (use == Use.PEEK) return local.peek(shares).outcomes();
    var outcomes = local.decide(shares).outcomes();
    if (use == Use.CHARGE_AND_REPORT) note(plan, outage, shares, outcomes);
    return outcomes;
  }

  private void note(Plan plan, Outage outage, Plan shares, List<Outcome> outcomes) {
    var charged = shares.charged(outcomes);
    int at = 0;
    for (var part : plan.parts()) {
      if (word(part, outage) != Word.LOCAL) continue;
      for (int i = 0; i < part.counters().size(); i++, at++) {
        if (charged[at]) {
          admissions.add(plan.charges().get(part.from() + i), shares.charges().get(at));
        }
      }
    }
  }

  /** As a store reports limits that would let a denied request pass: with all that they have. */
  private List<Outcome> untouched(Plan shares) {
    var asked = local.peek(shares).outcomes();
    var standing = local.peek(shares.atNoCost()).outcomes();
    var outcomes = new ArrayList<Outcome>(asked.size());
    for (int i = 0; i < asked.size(); i++) {
      outcomes.add(asked.get(i) instanceof Passed ? standing.get(i) : asked.get(i));
    }
    return outcomes;
  }

  /**
   * A cost that no share can bear may be one that the whole limit can: then it is not impossible,
   * but has to wait for the store.
   */
  private static Outcome ofTheWhole(Outcome outcome, Charge charge, Outage outage) {
    if (!(outcome instanceof ExceedsCapacity never)) return outcome;
    long highest = charge.limit().highestCost();
    return never.cost() > highest // with what others before it in a joint plan come to
        ? new ExceedsCapacity(never.remaining(), never.resetAfter(), never.cost(), highest)
        : new Refused(never.remaining(), never.resetAfter(), outage.retryAfter);
  }
}
