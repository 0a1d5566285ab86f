package io.headgate.rulefile;

import io.headgate.limit.Holdable;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.Stateless;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds settings for reservations that have no effect, and limits that can't be settled. */
final class ReservationWarnings {
  static List<String> of(Rule rule) {
    var settings = rule.reservation();
    if (settings.equals(ReservationSettings.DEFAULT)) return List.of();
    var limits =
        Stream.concat(
                rule.limits().stream(),
                rule.overrides().stream().flatMap(override -> override.limits().stream()))
            .toList();
    var warnings = new ArrayList<String>();
    if (settings.defaultCost().isPresent()
        && limits.stream().noneMatch(limit -> limit.cost().isPresent())) {
      warnings.add(
          "rule '%s': reservation.default has no effect, since no limit has a named cost; add cost to a limit, or remove default"
              .formatted(rule.id()));
    }
    for (var limit : limits) {
      if (!isChargedAsReserved(limit)) continue;
      warnings.add(
          "rule '%s': a reservation of limit '%s' (%s) stays charged as reserved when it is settled; use a token bucket, a fixed or a sliding window to charge the real cost"
              .formatted(rule.id(), limit.name(), limit.limit().algorithm()));
    }
    return warnings.stream().distinct().toList();
  }

  private static boolean isChargedAsReserved(RuleLimit limit) {
    return limit.cost().isPresent()
        && !(limit.limit() instanceof Holdable)
        && !(limit.limit() instanceof SlotLimit)
        && !(limit.limit() instanceof Stateless);
  }

  private ReservationWarnings() {}
}
