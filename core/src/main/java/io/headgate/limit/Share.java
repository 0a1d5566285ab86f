package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

/**
 * The tenant of a request and its weight, for limits with {@linkplain FairShare fair sharing}.
 *
 * @param tenant identifies the tenant among those of one counter; empty for requests without one
 * @param weight the weight of the tenant, 1 to {@link #MAX_WEIGHT}
 */
public record Share(String tenant, int weight) {
  /** The highest weight of a tenant. */
  public static final int MAX_WEIGHT = 1_000;

  /**
   * The highest length of a tenant's id. States contain the ids, and callers choose the names from
   * which they are derived, so their length is bounded.
   */
  public static final int MAX_LENGTH = 64;

  /** The share of requests that name no tenant. */
  public static final Share NONE = new Share("", 1);

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public Share {
    require(weight >= 1 && weight <= MAX_WEIGHT, "a weight must be 1 to 1000, got %d", weight);
    require(
        tenant.length() <= MAX_LENGTH,
        "the id of a tenant may have %d characters, got %d",
        MAX_LENGTH,
        tenant.length());
  }
}
