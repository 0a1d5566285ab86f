package io.headgate.rule;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Arbitrary rules and requests. The limits have few permits, so that many requests are refused. */
public final class RandomRules {
  public static Arbitrary<Limit> limits() {
    var rate =
        Combinators.combine(
                Arbitraries.longs().between(1, 4),
                Arbitraries.of(1, 7, 10).map(Duration::ofSeconds))
            .as(Rate::of);
    var few = Arbitraries.longs().between(1, 4);
    var buckets = Arbitraries.of(1, 2, 5, 10);
    return Arbitraries.oneOf(
        Combinators.combine(rate, few).as(TokenBucket::new),
        rate.map(LeakyBucket::of),
        Combinators.combine(rate.map(LeakyBucket::of), few).as(LeakyBucket::withQueue),
        Combinators.combine(rate.map(LeakyBucket::of), few.map(Duration::ofSeconds))
            .as(LeakyBucket::withMaxWait),
        rate.map(FixedWindow::of),
        Combinators.combine(rate, buckets, Arbitraries.of(SlidingWindow.Bound.class))
            .as(SlidingWindow::new),
        Combinators.combine(rate, Arbitraries.of(0, 300).map(Duration::ofMillis))
            .as(RollingWindow::new),
        few.map(max -> Concurrency.of(max).withLease(Duration.ofSeconds(5))));
  }

  /** One to four rules of one to four limits each. */
  public static Arbitrary<List<Rule>> rules() {
    var rule =
        Combinators.combine(
                combinations(),
                ruleLimit().list().ofMinSize(1).ofMaxSize(4),
                Arbitraries.of(Mode.ENFORCE, Mode.ENFORCE, Mode.ENFORCE, Mode.SHADOW))
            .as(Sketch::new);
    return rule.list().ofMinSize(1).ofMaxSize(4).map(RandomRules::rules);
  }

  public static Arbitrary<Request> requests() {
    var costs =
        Arbitraries.frequency(
            Tuple.of(1, 0L), Tuple.of(6, 1L), Tuple.of(3, 2L), Tuple.of(1, 3L), Tuple.of(1, 4L));
    return Combinators.combine(costs, costs)
        .as((cost, bytes) -> new Request(Subject.of("x"), cost, Map.of("bytes", bytes)));
  }

  static Arbitrary<Combine> combinations() {
    return Arbitraries.oneOf(
        Arbitraries.of(
            new Combine.All(),
            new Combine.Any(),
            new Combine.Hierarchical(),
            new Combine.Priority()),
        Arbitraries.of(1, 333, 334, 500, 501, 667, 999, 1000).map(Combine.Weighted::new));
  }

  private record Sketch(Combine combine, List<RuleLimit> limits, Mode mode) {}

  private static Arbitrary<RuleLimit> ruleLimit() {
    return Combinators.combine(
            limits(),
            Arbitraries.of(
                Optional.<String>empty(), Optional.<String>empty(), Optional.of("bytes")),
            Arbitraries.longs().between(1, 3),
            Arbitraries.integers().between(-1, 1),
            Arbitraries.of(RuleLimit.Scope.class).optional())
        .as((limit, cost, weight, priority, scope) -> {
          var named = RuleLimit.of("l", limit).withWeight(weight).withPriority(priority);
          if (cost.isPresent()) named = named.withCost(cost.get());
          return scope.isPresent() ? named.withScope(scope.get()) : named;
        });
  }

  private static List<Rule> rules(List<Sketch> sketches) {
    var rules = new ArrayList<Rule>();
    for (var sketch : sketches) {
      var rule = Rule.named("r" + rules.size()).combine(sketch.combine).mode(sketch.mode);
      int number = 0;
      for (var limit : sketch.limits) rule.limit(limit.withName("l" + number++));
      rules.add(rule.build());
    }
    return rules;
  }

  private RandomRules() {}
}
