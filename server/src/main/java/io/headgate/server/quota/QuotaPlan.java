package io.headgate.server.quota;

import io.headgate.limit.Holdable;
import io.headgate.rule.Combine;
import io.headgate.rule.Plan;
import io.headgate.store.HoldStore;
import io.headgate.store.HoldStore.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the enforced rules allow for the requests of a bucket. Shadow rules are not part of it:
 * {@link ShadowUsage} counts the requests under them.
 */
sealed interface QuotaPlan {
  /** No enforced rule limits the bucket. */
  record Unlimited() implements QuotaPlan {}

  /** A rule denies every request, or this region has no part of its limit. */
  record Denied() implements QuotaPlan {}

  /**
   * A rule can't be divided into assignments: only the decision of each request is exact. Requests
   * are denied, since nothing else is within the limit.
   *
   * @param rule the id of the rule
   * @param reason why, and what to do
   */
  record Unassignable(String rule, String reason) implements QuotaPlan {}

  /**
   * Each request needs one permit of each counter.
   *
   * @param targets at least one, with a charge of cost 1 of a {@link Holdable} limit each
   */
  record Assignable(List<Target> targets) implements QuotaPlan {}

  /**
   * Derives the quota of a bucket from the plan of one of its requests.
   *
   * @param store holds the permits; empty if nothing can be held
   * @param lease the lease of a hold, in microseconds
   */
  static QuotaPlan of(Plan plan, Optional<HoldStore> store, long lease) {
    if (plan.isExempt()) return new Unlimited();
    var targets = new ArrayList<Target>();
    for (var part : plan.parts()) {
      if (!part.isEnforced() || part.isUnlimited()) continue;
      if (part.shedding() != null || !isAssignable(part)) {
        return new Unassignable(
            part.rule().id(),
            "Use a token bucket, a fixed or a sliding window, or Envoy's rate limit service");
      }
      if (part.denies()) return new Denied();
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = plan.charges().get(i);
        if (charge.cost() == 0) continue;
        var target = store.flatMap(holds -> holds.targetOf(part, charge));
        if (target.isEmpty()) return new Denied();
        if (target.get().maxLease() < lease) {
          return new Unassignable(
              part.rule().id(),
              "An assignment needs a lease of %d ms at home and --region-lease is %d ms; raise it"
                  .formatted(lease / 1_000, target.get().maxLease() / 1_000));
        }
        targets.add(target.get());
      }
    }
    return targets.isEmpty() ? new Unlimited() : new Assignable(List.copyOf(targets));
  }

  /** As for local decisions: all limits of the rule are charged, and all support holds. */
  private static boolean isAssignable(Plan.Part part) {
    var combine = part.rule().combine();
    boolean chooses = combine instanceof Combine.Any || combine instanceof Combine.Weighted;
    if (part.counters().size() > 1 && chooses) return false;
    return part.counters().stream().allMatch(counter -> counter.limit() instanceof Holdable);
  }
}
