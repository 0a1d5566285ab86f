package io.headgate.server.stats;

import io.headgate.CheckResult;
import io.headgate.rule.Request;
import java.util.List;

/**
 * Is notified of each decision on the thread that made it. Must not throw or block, and should not
 * allocate.
 *
 * <p>Each event loop has its own listener that no other thread calls, so counting needs no locks
 * and has no contention. Read-only requests (peek, explain) are not decisions.
 */
@FunctionalInterface
public interface DecisionListener {
  /** A listener that does nothing. */
  DecisionListener NONE = (request, result, nanos) -> {};

  /**
   * Handles a decision. Each request of a batch that is decided together is reported separately: a
   * request that its own limits allow is reported as allowed, even if the batch as a whole was
   * denied.
   *
   * @param nanos how long the client waited for the decision
   */
  void decided(Request request, CheckResult result, long nanos);

  /** Returns a listener that calls all of these in order. */
  static DecisionListener all(List<DecisionListener> listeners) {
    var active = listeners.stream().filter(listener -> !listener.equals(NONE)).toList();
    return switch (active.size()) {
      case 0 -> NONE;
      case 1 -> active.getFirst();
      default -> {
        var array = active.toArray(DecisionListener[]::new);
        yield (request, result, nanos) -> {
          for (var listener : array) listener.decided(request, result, nanos);
        };
      }
    };
  }
}
