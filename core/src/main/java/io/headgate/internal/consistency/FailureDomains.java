package io.headgate.internal.consistency;

import java.util.function.ToIntFunction;

/**
 * The failure domains of a store: the parts that can be unavailable independently, such as the
 * shards of a cluster.
 *
 * @param count the number of domains, at least 1
 * @param byKey returns the number of the domain, from 0, that stores the counters of a key
 */
public record FailureDomains(int count, ToIntFunction<String> byKey) {
  /** A store that is available as a whole or not at all. */
  public static final FailureDomains ONE = new FailureDomains(1, key -> 0);

  /** Throws {@link IllegalArgumentException} if {@code count} is less than 1. */
  public FailureDomains {
    if (count < 1) {
      throw new IllegalArgumentException(
          "a store has at least 1 failure domain, got %d".formatted(count));
    }
  }

  int domainOf(String key) {
    return byKey.applyAsInt(key);
  }
}
