package io.headgate.internal.region;

import io.headgate.limit.HoldRequest;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.HoldStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Holds permits in one of several regions, for holders outside of this instance such as proxies and
 * clients: in the regional store for rules of scope {@code local} and for the region's split, and
 * at home for all other rules. So the holds of all regions together never exceed a limit.
 * Thread-safe.
 */
final class RegionHolds implements HoldStore {
  private final String region;
  private final HoldStore regional;
  private final HoldStore home;
  private final long maxLease;

  /**
   * Creates the holds of a region.
   *
   * @param home holds permits at home and refuses to while home may have lost holds
   * @param maxLease the longest lease that a restarted home waits for, in microseconds
   */
  RegionHolds(String region, HoldStore regional, HoldStore home, long maxLease) {
    this.region = region;
    this.regional = regional;
    this.home = home;
    this.maxLease = maxLease;
  }

  /** Always throws: only {@link #targetOf} knows the rule, and so where its permits are. */
  @Override
  public CompletionStage<Reply> hold(Charge charge, HoldRequest request) {
    throw new UnsupportedOperationException(
        "permits of a region are held by the store of targetOf; got a hold of " + charge);
  }

  @Override
  public Optional<Target> targetOf(Plan.Part part, Charge charge) {
    var settings = part.rule().regions();
    return switch (settings.scopeOf(part.rule().combine(), part.counters())) {
      case LOCAL -> regional.targetOf(part, charge);
      case HOME -> Optional.of(new Target(home, charge, maxLease));
      case SHARED ->
          partOf(charge, settings.splitOf(region))
              .flatMap(split -> regional.targetOf(part, split))
              .or(() ->
                  partOf(charge, settings.pooled())
                      .map(pooled -> new Target(home, pooled, maxLease)));
    };
  }

  private static Optional<Charge> partOf(Charge charge, int permille) {
    return permille == 0
        ? Optional.empty()
        : charge.counter().partOf(permille).map(charge::withCounter);
  }
}
