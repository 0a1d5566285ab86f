package io.headgate.rule;

import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Stateless;
import java.util.List;

/**
 * How the limits of a rule, or of one of its overrides, are divided among regions. Immutable.
 *
 * @param scope which regions are counted together
 * @param settings the settings of the rule
 * @param limits all limits that are divided in the same way
 */
public record RegionDivision(RegionScope scope, RegionSettings settings, List<Limit> limits) {
  static RegionDivision of(Rule rule, List<RuleLimit> ruleLimits) {
    var limits =
        ruleLimits.stream()
            .map(RuleLimit::limit)
            .filter(limit -> !(limit instanceof Stateless))
            .toList();
    return new RegionDivision(
        rule.regions().scopeOfLimits(rule.combine(), limits), rule.regions(), limits);
  }

  /** Returns the thousandths of a region's split; 0 if a limit has less than a permit of it. */
  public int splitOf(String region) {
    return usable(settings.splitOf(region));
  }

  /** Returns the thousandths that regions share by demand; 0 if a limit has less than a permit. */
  public int pooled() {
    return usable(settings.pooled());
  }

  private int usable(int permille) {
    if (permille == 0 || permille == RegionSettings.WHOLE) return permille;
    for (var limit : limits) {
      if (!(limit instanceof Holdable holdable) || holdable.partOf(permille) == null) return 0;
    }
    return permille;
  }
}
