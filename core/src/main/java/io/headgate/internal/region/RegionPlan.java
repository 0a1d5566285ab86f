package io.headgate.internal.region;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A plan with, for each of its rules, where this region decides it: by the regional store, from
 * shares, or at home. Mutable, and used by one decision.
 */
final class RegionPlan {
  /** Where a rule is decided. */
  enum Route {
    /** By the regional store, under the whole limit. */
    LOCAL,
    /** By the regional store, under the region's part of a split. */
    SPLIT,
    /** From the permits that this instance holds. */
    POOL,
    /** At home under the limit of the pool, since this instance can't hold permits of it. */
    POOL_AT_HOME,
    /** By the store at home. */
    HOME,
    /** Nowhere: this region has no part of the limit. */
    NONE
  }

  private final Plan plan;
  private final String region;
  private final Route[] routes;

  RegionPlan(Plan plan, String region) {
    this.plan = plan;
    this.region = region;
    this.routes = new Route[plan.parts().size()];
    for (int i = 0; i < routes.length; i++) routes[i] = routeOf(plan.parts().get(i));
  }

  private Route routeOf(Plan.Part part) {
    if (part.counters().isEmpty()) return Route.LOCAL;
    var settings = part.rule().regions();
    return switch (settings.scopeOf(part.rule().combine(), part.counters())) {
      case LOCAL -> Route.LOCAL;
      case HOME -> Route.HOME;
      case SHARED -> {
        if (partsOf(part, settings.splitOf(region)).isPresent()) yield Route.SPLIT;
        yield partsOf(part, settings.pooled()).isPresent() ? Route.POOL : Route.NONE;
      }
    };
  }

  /** Returns the counters of a rule with a part of their limits; empty if one has no permits. */
  private static Optional<List<Counter>> partsOf(Plan.Part part, int permille) {
    var counters = new ArrayList<Counter>(part.counters().size());
    for (var counter : part.counters()) counter.partOf(permille).ifPresent(counters::add);
    return counters.size() == part.counters().size() ? Optional.of(counters) : Optional.empty();
  }

  Plan plan() {
    return plan;
  }

  Route route(int part) {
    return routes[part];
  }

  /** Returns whether the regional store decides all rules. */
  boolean isLocal() {
    for (var route : routes) {
      if (route != Route.LOCAL) return false;
    }
    return true;
  }

  /** Routes a rule that the region's split refused to the pool. */
  void usePool(int part) {
    routes[part] = Route.POOL;
  }

  /** Has the pool of a rule decided at home. */
  void usePoolAtHome(int part) {
    routes[part] = Route.POOL_AT_HOME;
  }

  private boolean hasPool(int part) {
    var rule = plan.parts().get(part);
    return partsOf(rule, rule.rule().regions().pooled()).isPresent();
  }

  /** Returns the charge to the pool of a rule. */
  Charge poolCharge(int part, int charge) {
    var pooled = plan.parts().get(part).rule().regions().pooled();
    var whole = plan.charges().get(charge);
    return whole.withCounter(whole.counter().partOf(pooled).orElseThrow());
  }

  /** Returns whether a rule that the region's split decides has a pool as well. */
  boolean hasPoolBeside(int part) {
    return routes[part] == Route.SPLIT && hasPool(part);
  }

  /** Returns the permits that the region's split has of a limit. */
  long splitCapacity(int part, int charge) {
    return routed(part, plan.charges().get(charge), charge).limit().capacity();
  }

  /** Returns the rules with one of the routes, as a plan; see {@link #indexesOf}. */
  Plan planOf(List<Route> which) {
    return planOf(indexesOf(which), false);
  }

  /** Returns the plan of one rule. */
  Plan planOf(int part) {
    return planOf(List.of(part), false);
  }

  /** Returns the plan of one rule with the limits of its pool. */
  Plan poolOf(int part) {
    return planOf(List.of(part), true);
  }

  private Plan planOf(List<Integer> indexes, boolean pooled) {
    var parts = new ArrayList<Plan.Part>(indexes.size());
    var charges = new ArrayList<Charge>();
    for (int p : indexes) {
      var part = plan.parts().get(p);
      int from = charges.size();
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        charges.add(pooled ? poolCharge(p, i) : routed(p, plan.charges().get(i), i));
      }
      var counters = charges.subList(from, charges.size()).stream().map(Charge::counter).toList();
      parts.add(
          new Plan.Part(
              part.rule(), part.override(), counters, from, part.deniesFor(), part.shedding()));
    }
    return Plan.ofParts(parts, charges);
  }

  private Charge routed(int part, Charge charge, int index) {
    return switch (routes[part]) {
      case LOCAL, HOME, NONE -> charge;
      case POOL, POOL_AT_HOME -> poolCharge(part, index);
      case SPLIT -> {
        int permille = plan.parts().get(part).rule().regions().splitOf(region);
        yield charge.withCounter(charge.counter().partOf(permille).orElseThrow());
      }
    };
  }

  /** Returns the indexes of the rules with one of the routes, in the order of {@link #planOf}. */
  List<Integer> indexesOf(List<Route> which) {
    var indexes = new ArrayList<Integer>();
    for (int p = 0; p < routes.length; p++) {
      if (which.contains(routes[p])) indexes.add(p);
    }
    return indexes;
  }
}
