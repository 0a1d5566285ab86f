package io.headgate.internal.region;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Plan;
import io.headgate.rule.RegionSettings;
import io.headgate.store.ForwardingStore;
import io.headgate.store.HoldStore;
import io.headgate.store.PlanResult;
import io.headgate.store.ReservationStore;
import io.headgate.store.Source;
import io.headgate.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Decides the plans of one region: rules of scope {@code local} by the regional store, shared rules
 * by the region's split and by shares of the counters at home, and rules of scope {@code home} by
 * the store at home.
 *
 * <p>Thread-safe. Closes the regional store; its creator closes the store at home and the shares.
 */
public final class RegionStore extends ForwardingStore {
  private final String region;
  private final Store regional;
  private final Store home;
  private final RegionShares shares;
  private final Optional<HoldStore> holds;
  private final Optional<ReservationStore> reservations;

  /**
   * Creates the store of an instance.
   *
   * @param region the name of its region
   * @param regional the store that the instances of the region share
   * @param home the store at home, for rules that are decided there
   * @param shares the shares of this instance
   * @param guarded holds and reserves permits at home, and refuses to while home may have lost
   *     holds; empty if no permits are held for proxies and clients
   * @throws IllegalArgumentException if the name is not valid
   */
  public RegionStore(
      String region, Store regional, Store home, RegionShares shares, Optional<Store> guarded) {
    super(regional);
    this.region = RegionSettings.requireRegion(region);
    this.regional = regional;
    this.home = home;
    this.shares = shares;
    this.holds =
        both(
            regional.holds(),
            guarded.flatMap(Store::holds),
            (here, atHome) -> new RegionHolds(region, here, atHome, shares.maxLeaseMicros()));
    this.reservations =
        both(
            regional.reservations(),
            guarded.flatMap(Store::reservations),
            (here, atHome) ->
                new RegionReservations(
                    region,
                    here,
                    new HomeReservations(
                        atHome,
                        guarded.flatMap(Store::holds).orElseThrow(),
                        shares.maxLeaseMicros())));
  }

  private static <T, R> Optional<R> both(
      Optional<T> first, Optional<T> second, BiFunction<T, T, R> combined) {
    return first.flatMap(one -> second.map(other -> combined.apply(one, other)));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    var routed = new RegionPlan(plan, region);
    return routed.isLocal()
        ? regional.decideAsync(plan)
        : new RegionDecision(routed, regional, home, shares).decide();
  }

  @Override
  public PlanResult decide(Plan plan) {
    var routed = new RegionPlan(plan, region);
    if (routed.isLocal()) return regional.decide(plan);
    try {
      return new RegionDecision(routed, regional, home, shares)
          .decide()
          .toCompletableFuture()
          .join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) throw cause;
      throw e;
    }
  }

  /** Reads the states in the region and at home, which takes a round trip to home. */
  @Override
  public PlanResult peek(Plan plan) {
    var routed = new RegionPlan(plan, region);
    if (routed.isLocal()) return regional.peek(plan);
    var outcomes = new Outcome[plan.charges().size()];
    var source = Source.STORE;
    for (int p = 0; p < plan.parts().size(); p++) {
      var part = plan.parts().get(p);
      var one = routed.planOf(p);
      var result =
          switch (routed.route(p)) {
            case LOCAL, SPLIT -> regional.peek(one);
            case HOME -> home.peek(one);
            case POOL, POOL_AT_HOME -> pool(one);
            case NONE -> new PlanResult(refused(one), Source.STORE);
          };
      if (result.source() != Source.STORE && source != Source.REGION) source = result.source();
      List<Outcome> withPool =
          routed.hasPoolBeside(p) ? pool(routed.poolOf(p)).outcomes() : List.of();
      for (int i = 0; i < part.counters().size(); i++) {
        var outcome = result.outcomes().get(i);
        boolean passes = outcome instanceof Passed || withPool.isEmpty();
        outcomes[part.from() + i] = passes ? outcome : withPool.get(i);
      }
    }
    return new PlanResult(List.of(outcomes), source);
  }

  private static List<Outcome> refused(Plan one) {
    return one.charges().stream()
        .<Outcome>map(charge -> new Refused(0, charge.limit().window(), charge.limit().window()))
        .toList();
  }

  /**
   * Returns the outcomes of the charges of one rule to its pool. This instance holds some of the
   * permits; while home is unreachable, it has no others.
   */
  private PlanResult pool(Plan pooled) {
    var atHome = home.peek(pooled.atZeroCost());
    boolean unreachable = atHome.source() == Source.FALLBACK;
    var outcomes = new ArrayList<Outcome>();
    boolean lacks = false;
    for (int i = 0; i < pooled.charges().size(); i++) {
      var charge = pooled.charges().get(i);
      var there = atHome.outcomes().get(i);
      long left = (unreachable ? 0 : there.remaining()) + shares.availableOf(charge);
      lacks |= left < Math.max(1, charge.cost());
      outcomes.add(outcome(charge, left, there.resetAfter()));
    }
    if (!unreachable) return new PlanResult(outcomes, atHome.source());
    if (!lacks) return new PlanResult(outcomes, Source.LEASE);
    var policy = pooled.parts().getFirst().rule().onStoreFailure();
    return policy instanceof FailurePolicy.Local
        ? new PlanResult(outcomes, Source.REGION)
        : home.peek(pooled);
  }

  private static Outcome outcome(Charge charge, long left, long reset) {
    long capacity = charge.limit().capacity();
    if (charge.cost() > capacity) return new ExceedsCapacity(left, reset, charge.cost(), capacity);
    return charge.cost() <= left
        ? new Passed(left - charge.cost(), reset, 0)
        : new Refused(left, reset, Math.max(1, reset));
  }

  /** Renews a slot of the regional store or, if that has none of the holder, of home. */
  @Override
  public boolean renew(Charge charge) {
    return regional.renew(charge) || home.renew(charge);
  }

  /** Releases a slot of the regional store or, if that has none of the holder, of home. */
  @Override
  public boolean release(Charge charge) {
    return regional.release(charge) || home.release(charge);
  }

  /** Releases a slot of the regional store or, if that has none of the holder, of home. */
  @Override
  public boolean release(Charge charge, CompletedCall call) {
    return regional.release(charge, call) || home.release(charge, call);
  }

  /**
   * Resets a counter in this region and at home. Other regions spend the shares that they hold of
   * it, at most for a lease; their own counters of a split or a local rule are not reset.
   */
  @Override
  public void reset(Counter counter, String key) {
    shares.drop(counter, key);
    regional.reset(counter, key);
    home.reset(counter, key);
  }

  /** Returns reservations that are kept where the limits are: in the region and at home. */
  @Override
  public Optional<ReservationStore> reservations() {
    return reservations;
  }

  /** Returns holds that are divided among the regions as the limits are. */
  @Override
  public Optional<HoldStore> holds() {
    return holds;
  }
}
