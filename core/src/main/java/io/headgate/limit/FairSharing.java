package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The tenants among which a limit is shared fairly, and their weights. Immutable.
 *
 * @param among the attributes of a request that name its tenant; at least one
 * @param weightBy the attribute whose value selects the weight; if empty, the tenant's name does
 * @param weights the weight of each value, 1 to {@link Share#MAX_WEIGHT}; all others have weight 1
 */
public record FairSharing(
    List<String> among, Optional<String> weightBy, SortedMap<String, Integer> weights) {
  private static final int MAX_WEIGHTS = 10_000;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public FairSharing {
    among = List.copyOf(among);
    weights = Collections.unmodifiableSortedMap(new TreeMap<>(weights));
    require(!among.isEmpty(), "fair sharing needs at least one attribute that names the tenant");
    require(
        among.size() == among.stream().distinct().count(), "an attribute occurs twice: %s", among);
    require(
        among.size() == 1 || weightBy.isPresent() || weights.isEmpty(),
        "weights of tenants that several attributes name need weight-by, the attribute whose value"
            + " selects the weight");
    require(
        weightBy.isEmpty() || !weights.isEmpty(),
        "weight-by has an effect with weights only; add weights or remove it");
    require(
        weights.size() <= MAX_WEIGHTS,
        "there may be %d weights, got %d",
        MAX_WEIGHTS,
        weights.size());
    weights.forEach((value, weight) ->
        require(
            weight >= 1 && weight <= Share.MAX_WEIGHT,
            "the weight of '%s' must be 1 to %d, got %d",
            value,
            Share.MAX_WEIGHT,
            weight));
  }

  /** Creates fair sharing in equal parts among the values of the attributes. */
  public static FairSharing among(String... attributes) {
    return new FairSharing(List.of(attributes), Optional.empty(), new TreeMap<>());
  }

  /** Returns this with a weight for one value of {@link #weightBy}. */
  public FairSharing withWeight(String value, int weight) {
    var more = new TreeMap<>(weights);
    more.put(value, weight);
    return new FairSharing(among, weightBy, more);
  }

  /** Returns this with weights by the values of another attribute than the tenant's. */
  public FairSharing withWeights(String attribute, SortedMap<String, Integer> weights) {
    return new FairSharing(among, Optional.of(attribute), weights);
  }

  /** Returns the weight that a value selects. */
  public int weightOf(String value) {
    return weights.isEmpty() ? 1 : weights.getOrDefault(value, 1);
  }
}
