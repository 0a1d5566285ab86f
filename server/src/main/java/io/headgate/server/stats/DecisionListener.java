package io.headgate.server.stats;

import io.headgate.CheckResult;
import io.headgate.rule.Request;
import java.util.List;

/**
 * Hears of each decision, on the thread that made it; must not throw, block or allocate without
 * need.
 *
 * <p>Each event loop has one of its own, which no other thread tells anything: what it counts takes
 * no lock and meets no contention. What only looks (peek, explain) is no decision.
 */
@FunctionalInterface
public interface DecisionListener {
  /** Has no use for what it hears. */
  DecisionListener NONE = (request, result, nanos) -> {};

  /**
   * Of requests that are decided together each is told by itself: one that its own limits would let
   * pass is allowed there, also where the whole was denied.
   *
   * @param nanos how long the asker waited for the decision
   */
  void decided(Request request, CheckResult result, long nanos);

  /** All of these as one, told in their order. */
  static DecisionListener all(List<DecisionListener> witnesses) {
    var others = witnesses.stream().filter(witness -> !witness.equals(NONE)).toList();
    return switch (others.size()) {
      case 0 -> NONE;
      case 1 -> others.getFirst();
      default -> {
        var each = others.toArray(DecisionListener[]::new);
        yield (request, result, nanos) -> {
          for (var witness : each) witness.decided(request, result, nanos);
        };
      }
    };
  }
}
