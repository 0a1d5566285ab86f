package io.headgate.spring.service;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.client.RemoteLimit;
import io.headgate.client.RemoteResult;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Converts results of a service to those of a limiter, which filters write as responses. The rules
 * of the service are represented by rules with the same names and sizes, which are cached.
 * Thread-safe.
 */
final class ServiceResults {
  private static final int MAX_CACHED = 1_000;

  /** The service does not report windows. One that is not in whole seconds is in no header. */
  private static final Duration UNKNOWN_WINDOW = Duration.ofMillis(1_500);

  /** The names and sizes of the limits that applied to a request. */
  private record Shape(List<RemoteLimit> limits) {
    static Shape of(RemoteResult result) {
      return new Shape(
          result.limits().stream()
              .map(limit ->
                  new RemoteLimit(
                      limit.rule(),
                      limit.name(),
                      limit.algorithm(),
                      limit.limit(),
                      Optional.empty(),
                      Optional.empty()))
              .toList());
    }
  }

  private final Map<Shape, RuleSet> rules = new ConcurrentHashMap<>();

  /**
   * Converts the result of a request.
   *
   * @throws StoreException if it is a denial without a limit
   */
  CheckResult of(Request request, RemoteResult remote) {
    var shape = Shape.of(remote);
    var known = rules.get(shape);
    if (known == null) {
      known = ruleSet(shape.limits);
      if (rules.size() < MAX_CACHED) rules.put(shape, known);
    }
    var plan = known.plan(request, 0, 0);
    if (plan.hasNoCharges()) {
      if (remote.isAllowed() || plan.isDenied()) {
        return CheckResult.ofRemote(
            plan, new PlanResult(List.of(), remote.source()), remote.slotId());
      }
      throw new StoreException(
          StoreException.Kind.OTHER, "the service denied without naming a limit", null);
    }
    return CheckResult.ofRemote(
        plan, new PlanResult(outcomes(remote), remote.source()), remote.slotId());
  }

  /** Returns the result of a request that passes because the service is unavailable. */
  CheckResult ofFailure(Request request) {
    return CheckResult.ofRemote(
        RuleSet.of().plan(request, 0, 0),
        new PlanResult(List.of(), Source.FALLBACK),
        Optional.empty());
  }

  private static RuleSet ruleSet(List<RemoteLimit> limits) {
    var byRule = new LinkedHashMap<String, List<RuleLimit>>();
    for (var limit : limits) {
      if (limit.algorithm().equals("deny") || limit.algorithm().equals("shed")) {
        var deny = Rule.named(limit.rule()).limit(new Deny());
        if (limit.algorithm().equals("shed")) deny.property("status", "503");
        return RuleSet.of(deny.build());
      }
      byRule
          .computeIfAbsent(limit.rule(), rule -> new ArrayList<>())
          .add(RuleLimit.of(limit.name(), limitOf(limit)));
    }
    return RuleSet.of(
        byRule.entrySet().stream()
            .map(entry -> Rule.named(entry.getKey()).limits(entry.getValue()).build())
            .toList());
  }

  private static Limit limitOf(RemoteLimit limit) {
    long size = Math.max(1, limit.limit());
    return limit.algorithm().endsWith("concurrency")
        ? Concurrency.of(Math.min(size, 100_000))
        : FixedWindow.of(Rate.of(size, UNKNOWN_WINDOW));
  }

  private static List<Outcome> outcomes(RemoteResult remote) {
    boolean named = remote.limits().stream().anyMatch(l -> remote.violated().contains(l.policy()));
    var outcomes = new ArrayList<Outcome>();
    for (var limit : remote.limits()) {
      boolean refuses = named ? remote.violated().contains(limit.policy()) : outcomes.isEmpty();
      outcomes.add(outcome(remote, limit, refuses));
    }
    return outcomes;
  }

  private static Outcome outcome(RemoteResult remote, RemoteLimit limit, boolean refuses) {
    long remaining = limit.remaining().orElse(0L);
    long reset = micros(limit.resetAfter().orElse(Duration.ZERO));
    return switch (remote.decision()) {
      case Decision.Denied denied when refuses ->
          new Outcome.Refused(remaining, reset, Math.max(1, micros(denied.retryAfter())));
      case Decision.Impossible(var cost, var capacity) when refuses ->
          new Outcome.ExceedsCapacity(remaining, reset, Math.max(cost, capacity + 1), capacity);
      case Decision.Delayed delayed ->
          new Outcome.Passed(remaining, reset, micros(delayed.delay()));
      case Decision.Allowed allowed -> new Outcome.Passed(remaining, reset, 0);
      case Decision.Denied denied -> new Outcome.Passed(remaining, reset, 0);
      case Decision.Impossible impossible -> new Outcome.Passed(remaining, reset, 0);
    };
  }

  private static long micros(Duration time) {
    return time.toNanos() / 1_000;
  }
}
