package io.headgate.rule;

import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Stateless;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How a rule counts requests of several regions. Immutable.
 *
 * @param scope which regions are counted together; empty for {@link RegionScope#SHARED} if the
 *     limits of the rule can be shared, and otherwise {@link RegionScope#HOME}
 * @param split the fixed parts of regions in thousandths of the limit, by region. The rest is
 *     shared among the regions by their demand
 */
public record RegionSettings(Optional<RegionScope> scope, Map<String, Integer> split) {
  /** The settings of a rule that states none. */
  public static final RegionSettings DEFAULT = new RegionSettings(Optional.empty(), Map.of());

  /** The highest number of regions of a split. */
  public static final int MAX_REGIONS = 32;

  /** All thousandths of a limit. */
  public static final int WHOLE = 1_000;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public RegionSettings {
    split = Collections.unmodifiableMap(new TreeMap<>(split));
    if (split.size() > MAX_REGIONS) {
      throw new IllegalArgumentException(
          "a split has at most %d regions, got %d".formatted(MAX_REGIONS, split.size()));
    }
    int sum = 0;
    for (var part : split.entrySet()) {
      requireRegion(part.getKey());
      if (part.getValue() < 1 || part.getValue() > WHOLE) {
        throw new IllegalArgumentException(
            "region '%s' can have 0.1%% to 100%% of a limit, got %s%%"
                .formatted(part.getKey(), percent(part.getValue())));
      }
      sum += part.getValue();
    }
    if (sum > WHOLE) {
      throw new IllegalArgumentException(
          "the split adds up to %s%%; lower it to at most 100%%".formatted(percent(sum)));
    }
    if (!split.isEmpty() && scope.isPresent() && scope.get() != RegionScope.SHARED) {
      throw new IllegalArgumentException(
          "a split applies to regions: shared; remove split, or regions");
    }
  }

  /**
   * Validates the name of a region.
   *
   * @throws IllegalArgumentException if it is not 1 to 32 lower-case letters, digits or dashes
   */
  public static String requireRegion(String region) {
    if (!region.matches("[a-z0-9-]{1,32}")) {
      throw new IllegalArgumentException(
          "a region has 1 to 32 lower-case letters, digits or dashes, got '%s'"
              .formatted(region.length() > 40 ? region.substring(0, 40) + "…" : region));
    }
    return region;
  }

  private static String percent(int permille) {
    return permille % 10 == 0 ? "" + permille / 10 : permille / 10 + "." + permille % 10;
  }

  /** Returns the fixed part of a region, in thousandths; 0 if it has none. */
  public int splitOf(String region) {
    return split.getOrDefault(region, 0);
  }

  /** Returns the part that regions share by demand, in thousandths. */
  public int pooled() {
    int sum = 0;
    for (int part : split.values()) sum += part;
    return WHOLE - sum;
  }

  /** Returns the scope of a rule with these settings and limits. */
  public RegionScope scopeOf(Combine combine, List<Counter> counters) {
    return scopeOfLimits(combine, counters.stream().map(Counter::limit).toList());
  }

  RegionScope scopeOfLimits(Combine combine, List<Limit> limits) {
    return scope.orElseGet(() -> canShare(combine, limits) ? RegionScope.SHARED : RegionScope.HOME);
  }

  /**
   * Requires that the limits of a rule can be shared if the settings say so.
   *
   * @throws IllegalArgumentException if they can't
   */
  void requireSharable(String rule, Combine combine, List<RuleLimit> limits) {
    boolean shared = !split.isEmpty() || scope.equals(Optional.of(RegionScope.SHARED));
    if (!shared || canShare(combine, limits.stream().map(RuleLimit::limit).toList())) return;
    throw new IllegalArgumentException(
        "rule '%s' can't be shared among regions: that takes token buckets, fixed or sliding windows, all of which must pass; write regions: home or regions: local"
            .formatted(rule));
  }

  private static boolean canShare(Combine combine, List<Limit> limits) {
    boolean chooses = combine instanceof Combine.Any || combine instanceof Combine.Weighted;
    if (limits.size() > 1 && chooses) return false;
    return limits.stream()
        .allMatch(limit -> limit instanceof Holdable || limit instanceof Stateless);
  }
}
