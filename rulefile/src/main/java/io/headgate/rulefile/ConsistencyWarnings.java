package io.headgate.rulefile;

import io.headgate.limit.FairShare;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import java.util.List;
import java.util.stream.Stream;

/** Finds rules whose consistency mode has no effect, since a limit is shared fairly. */
final class ConsistencyWarnings {
  static List<String> of(Rule rule) {
    if (rule.consistency() == Consistency.STRICT) return List.of();
    return Stream.concat(
            rule.limits().stream(),
            rule.overrides().stream().flatMap(override -> override.limits().stream()))
        .filter(limit -> limit.limit() instanceof FairShare)
        .map(limit ->
            "rule '%s': consistency: %s has no effect on limit '%s', which is shared fairly and therefore decided strictly; remove consistency or fair"
                .formatted(rule.id(), EnumNames.text(rule.consistency()), limit.name()))
        .distinct()
        .toList();
  }

  private ConsistencyWarnings() {}
}
