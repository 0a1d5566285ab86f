package io.headgate.server.quota;

import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the requests that a proxy has admitted under rules in shadow mode. They get no
 * assignments, so that they never deny. A report charges their counters as far as they have
 * permits; the other requests are those that the rule would have denied. Thread-safe.
 */
final class ShadowUsage {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowUsage.class);

  private final Store store;
  private final ObjLongConsumer<String> wouldDeny;

  /**
   * Creates the usage of a book.
   *
   * @param wouldDeny receives the id of a rule and the number of requests, on any thread
   */
  ShadowUsage(Store store, ObjLongConsumer<String> wouldDeny) {
    this.store = store;
    this.wouldDeny = wouldDeny;
  }

  /**
   * Counts the requests of one report.
   *
   * @param plan the plan of one of the requests
   * @param admitted the requests that the proxy has admitted
   */
  void report(Plan plan, long admitted) {
    if (admitted == 0 || plan.isExempt()) return;
    for (var part : plan.parts()) {
      if (part.isEnforced() || part.isUnlimited()) continue;
      if (part.denies()) {
        wouldDeny.accept(part.rule().id(), admitted);
        continue;
      }
      var charges = charges(plan, part);
      if (!charges.isEmpty()) report(part, charges, admitted);
    }
  }

  /** Returns the charges of a rule; none of slots, since a proxy does not report their release. */
  private static List<Charge> charges(Plan plan, Plan.Part part) {
    var charges = plan.charges().subList(part.from(), part.from() + part.counters().size());
    boolean counts =
        charges.stream().allMatch(one -> one.cost() > 0 && !(one.limit() instanceof SlotLimit));
    return counts ? charges : List.of();
  }

  private void report(Plan.Part part, List<Charge> charges, long admitted) {
    long most = admitted;
    for (var charge : charges) most = Math.min(most, charge.limit().capacity());
    long whole = most;
    var unused =
        store
            .decideAsync(plan(part, charges, whole))
            .thenAccept(result -> {
              if (part.retryAfter(result.outcomes()) == 0) {
                wouldDeny.accept(part.rule().id(), admitted - whole);
                return;
              }
              long left = whole;
              for (var outcome : result.outcomes()) left = Math.min(left, outcome.remaining());
              wouldDeny.accept(part.rule().id(), admitted - left);
              if (left > 0) charge(part, charges, left);
            })
            .exceptionally(problem -> failed(part, problem));
  }

  private void charge(Plan.Part part, List<Charge> charges, long permits) {
    var unused =
        store
            .decideAsync(plan(part, charges, permits))
            .<Void>thenApply(result -> null)
            .exceptionally(problem -> failed(part, problem));
  }

  @SuppressWarnings("NullAway") // the value of a stage without one
  private static Void failed(Plan.Part part, Throwable problem) {
    LOG.debug("cannot count requests under the shadow rule {}", part.rule().id(), problem);
    return null;
  }

  private static Plan plan(Plan.Part part, List<Charge> charges, long cost) {
    var priced = new ArrayList<Charge>(charges.size());
    for (var charge : charges) priced.add(charge.withCost(cost));
    var alone = new Plan.Part(part.rule(), part.override(), part.counters(), 0, 0, part.shedding());
    return Plan.ofParts(List.of(alone), priced);
  }
}
