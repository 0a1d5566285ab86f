package io.headgate.internal.region;

import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.internal.region.RegionPlan.Route;
import io.headgate.internal.region.RegionShare.Shortage;
import io.headgate.internal.region.RegionShares.Entry;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Plan;
import io.headgate.store.CallDeadline;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides one plan in a region.
 *
 * <p>Shares are spent first, because that can be undone without a visible effect. Then home decides
 * its rules, and last the regional store decides the rest in one step. If it denies, the shares get
 * their permits back; charges at home remain. A rule that the region's split refuses is tried again
 * from the pool. Used by one thread at a time.
 */
final class RegionDecision {
  private static final int MAX_WAITS = 3;
  private static final long RETRY_MICROS = 1_000_000;
  private static final List<Route> REGIONAL = List.of(Route.LOCAL, Route.SPLIT);
  private static final List<Route> AT_HOME = List.of(Route.HOME);
  private static final List<Route> POOL_AT_HOME = List.of(Route.POOL_AT_HOME);

  /** Permits that were spent from a share. */
  private record Spent(int charge, Entry entry, long cost, int requests) {}

  private final RegionPlan routed;
  private final Plan plan;
  private final Store regional;
  private final Store home;
  private final RegionShares shares;
  private final @Nullable CallDeadline deadline;
  private final @Nullable CallDeadline farDeadline; // home may be farther than calls can wait
  private final @Nullable Outcome[] outcomes;
  private final List<Spent> spent = new ArrayList<>();
  private int waits = MAX_WAITS;
  private boolean denied;
  private boolean deniedAtHome;
  private boolean homeDecided;
  private Source source = Source.STORE;

  RegionDecision(RegionPlan routed, Store regional, Store home, RegionShares shares) {
    this.routed = routed;
    this.plan = routed.plan();
    this.regional = regional;
    this.home = home;
    this.shares = shares;
    this.outcomes = new @Nullable Outcome[plan.charges().size()];
    this.deadline = CallDeadline.current();
    this.farDeadline = deadline == null ? null : deadline.uncounted();
  }

  /** Decides the plan. The deadline of the call does not apply to requests for shares. */
  CompletionStage<PlanResult> decide() {
    return CallDeadline.within(null, this::attempt);
  }

  private CompletionStage<PlanResult> attempt() {
    denied = deniedAtHome;
    long now = shares.now();
    for (int p = 0; p < plan.parts().size(); p++) {
      if (routed.route(p) == Route.NONE) refuse(plan.parts().get(p));
      if (routed.route(p) != Route.POOL) continue;
      var reply = spend(p, now);
      if (reply != null) {
        refundAll(now);
        return reply.thenCompose(done -> decide());
      }
    }
    if (denied) refundAll(now);
    return decideAtHome()
        .thenCompose(done -> {
          if (denied) refundAll(shares.now());
          return decideInRegion();
        });
  }

  /** Refuses a rule of which this region has no part. */
  private void refuse(Plan.Part part) {
    for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
      long window = plan.charges().get(i).limit().window();
      outcomes[i] = new Refused(0, window, window);
    }
    denied |= part.isEnforced();
  }

  /**
   * Spends the charges of a rule from shares.
   *
   * @return the reply to wait for before the next attempt; null if the rule is decided
   */
  private @Nullable CompletionStage<?> spend(int p, long now) {
    var part = plan.parts().get(p);
    int before = spent.size();
    boolean passes = true;
    for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
      var charge = routed.poolCharge(p, i);
      if (charge.cost() > charge.limit().capacity()) {
        outcomes[i] = new ExceedsCapacity(0, 0, charge.cost(), charge.limit().capacity());
        passes = false;
        continue;
      }
      var entry = shares.obtain(charge);
      int requests = entry == null ? 0 : entry.share.requests();
      var passed = entry == null ? null : entry.share.spend(charge, now);
      if (entry != null && passed != null) {
        outcomes[i] = passed;
        spent.add(new Spent(i, entry, charge.cost(), requests));
        note(Source.LEASE);
        continue;
      }
      var shortage = entry == null ? Shortage.CROWDED : entry.share.shortage(charge.cost(), now);
      if (entry == null || shortage == Shortage.CROWDED) {
        routed.usePoolAtHome(p);
        homeDecided = false;
        break;
      }
      if (shortage == Shortage.UNKNOWN && part.isEnforced() && waits > 0) {
        waits--;
        return shares.await(entry, charge.cost());
      }
      shares.sendIfDue(entry);
      outcomes[i] = lacking(part, entry, shortage, now);
      passes &= outcomes[i] instanceof Passed;
    }
    if (!passes || routed.route(p) != Route.POOL) {
      while (spent.size() > before) refund(spent.removeLast(), now);
    }
    denied |= !passes && part.isEnforced();
    return null;
  }

  /**
   * Returns the outcome of a charge for which a share has too few permits. While home is
   * unreachable, a rule that allows requests then does so; all others deny, because the permits of
   * other regions are not known.
   */
  private Outcome lacking(Plan.Part part, Entry entry, Shortage shortage, long now) {
    long retry = entry.share.retryAfter(now);
    var refused = new Refused(0, Math.max(retry, entry.share.peek(now).resetAfter()), retry);
    if (shortage != Shortage.UNREACHABLE) {
      note(Source.CACHE);
      return refused;
    }
    return unreachable(part, refused);
  }

  private Outcome unreachable(Plan.Part part, Refused refused) {
    return switch (part.rule().onStoreFailure()) {
      case FailurePolicy.Allow allow -> byPolicy(true, refused);
      case FailurePolicy.AllowThenDeny(Duration grace) ->
          byPolicy(shares.unreachableFor() < grace.toNanos(), refused);
      case FailurePolicy.Deny deny -> byPolicy(false, refused);
      case FailurePolicy.Local local -> {
        // The share decides and not the policy, which would hand out permits of other regions.
        if (part.isEnforced()) source = Source.REGION;
        else note(Source.CACHE);
        yield refused;
      }
    };
  }

  private Outcome byPolicy(boolean allows, Refused refused) {
    if (source != Source.REGION) source = Source.FALLBACK;
    return allows ? new Passed(0, 0, 0) : refused;
  }

  private void note(Source used) {
    if (source == Source.STORE) source = used;
  }

  private void refund(Spent one, long now) {
    one.entry.share.refund(one.cost, one.requests);
    outcomes[one.charge] = one.entry.share.peek(now);
  }

  private void refundAll(long now) {
    while (!spent.isEmpty()) refund(spent.removeLast(), now);
  }

  private static CompletionStage<PlanResult> decideAsync(
      Store store, Plan plan, @Nullable CallDeadline deadline) {
    return CallDeadline.within(deadline, () -> store.decideAsync(plan));
  }

  /** Decides the rules of home, once; at no cost if another rule has denied. */
  private CompletionStage<?> decideAtHome() {
    if (homeDecided) return CompletableFuture.completedStage(null);
    homeDecided = true;
    var atHome = routed.planOf(AT_HOME);
    CompletionStage<?> strict =
        atHome.hasNoCharges()
            ? CompletableFuture.completedStage(null)
            : decideAsync(home, denied ? atHome.atZeroCost() : atHome, farDeadline)
                .thenAccept(result -> take(result, atHome, AT_HOME));
    var pooled = routed.planOf(POOL_AT_HOME);
    if (pooled.hasNoCharges()) return strict;
    return strict.thenCompose(done -> decidePoolAtHome(pooled));
  }

  private CompletionStage<?> decidePoolAtHome(Plan pooled) {
    var asked = denied ? pooled.atZeroCost() : pooled;
    CompletionStage<List<Outcome>> all = CompletableFuture.completedStage(new ArrayList<>());
    for (var part : asked.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = asked.charges().get(i);
        var refused = new Refused(0, charge.limit().window(), RETRY_MICROS);
        var outcome =
            CallDeadline.within(farDeadline, () -> shares.decideAtHome(charge))
                .thenApply(HoldResult::outcome)
                .exceptionally(problem -> unreachable(part, refused));
        all =
            all.thenCombine(
                outcome,
                (list, one) -> {
                  list.add(one);
                  return list;
                });
      }
    }
    return all.thenAccept(list -> take(new PlanResult(list, Source.STORE), pooled, POOL_AT_HOME));
  }

  /** Takes over the outcomes of the rules with these routes. */
  private void take(PlanResult result, Plan some, List<Route> routes) {
    var each = result.outcomes().iterator();
    for (int p : routed.indexesOf(routes)) {
      var part = plan.parts().get(p);
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        outcomes[i] = each.next();
      }
    }
    boolean refused = !some.allows(result.outcomes());
    denied |= refused;
    if (!routes.equals(REGIONAL)) deniedAtHome |= refused;
    boolean degraded = source == Source.FALLBACK || source == Source.REGION;
    if (result.source() != Source.STORE && !degraded) source = result.source();
  }

  private CompletionStage<PlanResult> decideInRegion() {
    var some = routed.planOf(REGIONAL);
    if (some.hasNoCharges()) return CompletableFuture.completedStage(result());
    boolean wasDenied = denied;
    return decideAsync(regional, wasDenied ? some.atZeroCost() : some, deadline)
        .thenCompose(result -> {
          take(result, some, REGIONAL);
          if (!wasDenied && denied && useThePool(result, some)) {
            refundAll(shares.now());
            source = Source.STORE;
            return decide();
          }
          if (denied) refundAll(shares.now());
          else prefetch();
          return CompletableFuture.completedStage(result());
        });
  }

  /**
   * Routes the rules that the region's split refused to the pool. Returns false if a rule without a
   * pool has refused too, so that the request is denied.
   */
  private boolean useThePool(PlanResult result, Plan some) {
    var indexes = routed.indexesOf(REGIONAL);
    var refused = new ArrayList<Integer>();
    for (int i = 0; i < indexes.size(); i++) {
      var part = some.parts().get(i);
      if (part.isEnforced() && part.retryAfter(result.outcomes()) > 0) refused.add(indexes.get(i));
    }
    for (int p : refused) {
      if (!routed.hasPoolBeside(p)) return false;
    }
    refused.forEach(routed::usePool);
    return !refused.isEmpty();
  }

  /** Requests shares of rules whose split is half spent, so that no later caller has to wait. */
  private void prefetch() {
    for (int p = 0; p < plan.parts().size(); p++) {
      if (!routed.hasPoolBeside(p)) continue;
      var part = plan.parts().get(p);
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var outcome = outcomes[i];
        long capacity = routed.splitCapacity(p, i);
        if (outcome == null || outcome.remaining() * 2 >= capacity) continue;
        var entry = shares.obtain(routed.poolCharge(p, i));
        if (entry == null) continue;
        entry.share.touch(shares.now());
        shares.sendIfDue(entry);
      }
    }
  }

  private PlanResult result() {
    var all = new ArrayList<Outcome>(outcomes.length);
    for (int i = 0; i < outcomes.length; i++) {
      var outcome = outcomes[i];
      if (outcome == null) throw new IllegalStateException("charge " + i + " is not decided");
      all.add(outcome);
    }
    // Not before, because a permit that has been reported can't be given back.
    for (var one : spent) shares.sendIfDue(one.entry);
    return new PlanResult(all, source);
  }
}
