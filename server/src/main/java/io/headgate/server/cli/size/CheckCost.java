package io.headgate.server.cli.size;

import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;

/**
 * Computes the highest cost of one check: that of all rules that can apply to the same request.
 *
 * <p>Rules that require different values of the same attribute exclude each other, so the most
 * expensive value counts. Fallback rules apply only where no other rule does.
 */
final class CheckCost {
  private CheckCost() {}

  static double of(List<Rule> rules, ToDoubleBiFunction<Rule, RuleLimit> cost) {
    double always = 0;
    double fallback = 0;
    Map<String, Map<String, Double>> byValue = new HashMap<>();
    for (var rule : rules) {
      double own = cost(rule, cost);
      var exact = exact(rule);
      if (rule.fallback()) {
        fallback += own;
      } else if (exact.isEmpty()) {
        always += own;
      } else {
        byValue
            .computeIfAbsent(exact.get().getKey(), attribute -> new HashMap<>())
            .merge(exact.get().getValue(), own, Double::sum);
      }
    }
    for (var values : byValue.values()) {
      always += values.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }
    return Math.max(always, fallback);
  }

  /** Returns the cost of the rule's limits or, if it is higher, of an override's. */
  private static double cost(Rule rule, ToDoubleBiFunction<Rule, RuleLimit> cost) {
    double most = sum(rule, rule.limits(), cost);
    for (var override : rule.overrides()) most = Math.max(most, sum(rule, override.limits(), cost));
    return most;
  }

  private static double sum(
      Rule rule, List<RuleLimit> limits, ToDoubleBiFunction<Rule, RuleLimit> cost) {
    return limits.stream()
        .filter(limit -> StateModel.hasState(limit.limit()))
        .mapToDouble(limit -> cost.applyAsDouble(rule, limit))
        .sum();
  }

  private static Optional<Map.Entry<String, String>> exact(Rule rule) {
    for (var condition : rule.match().conditions().entrySet()) {
      if (condition.getValue() instanceof Pattern.Exactly exactly) {
        return Optional.of(Map.entry(condition.getKey(), exactly.value()));
      }
    }
    return Optional.empty();
  }
}
