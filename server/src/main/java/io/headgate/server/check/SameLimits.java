package io.headgate.server.check;

import io.headgate.limit.Share;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares plans. A request that can be read in several ways is decided only if each reading is
 * limited by the same rules and charges the same counters; otherwise a client that chooses the
 * spelling would choose the limits. Rules in shadow mode don't count.
 */
final class SameLimits {
  private record Applied(
      String rule,
      int override,
      long deniesFor,
      @Nullable Counter shedding,
      List<Charged> charges) {}

  private record Charged(Counter counter, String key, @Nullable Share share) {}

  /** Returns whether all plans apply the same limits. */
  static boolean areIn(List<Plan> plans) {
    var first = applied(plans.getFirst());
    return plans.stream().skip(1).allMatch(plan -> applied(plan).equals(first));
  }

  private static List<Applied> applied(Plan plan) {
    return plan.parts().stream()
        .filter(Plan.Part::isEnforced)
        .map(part ->
            new Applied(
                part.rule().id(),
                part.override(),
                part.deniesFor(),
                part.shedding(),
                charged(plan, part)))
        .toList();
  }

  private static List<Charged> charged(Plan plan, Plan.Part part) {
    int from = part.from();
    return plan.charges().subList(from, from + part.counters().size()).stream()
        .map(charge -> new Charged(charge.counter(), charge.key(), charge.share()))
        .toList();
  }

  private SameLimits() {}
}
