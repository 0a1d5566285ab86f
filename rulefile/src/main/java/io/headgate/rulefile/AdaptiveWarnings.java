package io.headgate.rulefile;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds adaptive limits that can't adapt, or that have fields without an effect. */
final class AdaptiveWarnings {
  static List<String> of(Rule rule) {
    var warnings = new ArrayList<String>();
    Stream.concat(
            rule.limits().stream(),
            rule.overrides().stream().flatMap(override -> override.limits().stream()))
        .forEach(limit -> {
          if (!(limit.limit() instanceof AdaptiveConcurrency slots)) return;
          if (rule.consistency() != Consistency.STRICT) {
            warnings.add(
                "rule '%s': consistency: %s has no effect on limit '%s', whose slots the store counts; remove consistency"
                    .formatted(rule.id(), EnumNames.text(rule.consistency()), limit.name()));
          }
          if (slots.min() == slots.max()) {
            warnings.add(
                "rule '%s': limit '%s' can't adapt, since min and max are both %d; use algorithm: concurrency, or widen the bounds"
                    .formatted(rule.id(), limit.name(), slots.max()));
          }
        });
    return warnings.stream().distinct().toList();
  }

  private AdaptiveWarnings() {}
}
