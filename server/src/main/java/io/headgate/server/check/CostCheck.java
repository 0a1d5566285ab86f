package io.headgate.server.check;

import io.headgate.RateLimiter;
import io.headgate.rule.InvalidCostException;
import io.headgate.rule.Request;
import io.headgate.rule.UnusedCosts;
import io.headgate.server.api.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the costs of requests that no matching limit spends, before the requests are decided, and
 * counts such requests. Rejects them if the service or the client is strict.
 *
 * <p>A request without named costs takes no time and allocates nothing, unless its plain cost is
 * above 1 and a rule spends named costs. Thread-safe.
 */
public final class CostCheck {
  /** The field of a request that an unused cost is reported for. */
  private static final String COSTS = "costs";

  private static final int NOT_IN_BATCH = -1;

  private final RateLimiter limiter;
  private final boolean strict;
  private final Consumer<UnusedCosts> counter;

  /**
   * Creates a check.
   *
   * @param strict whether every request with an unused cost is rejected
   * @param counter receives the unused costs of each request that has any
   */
  public CostCheck(RateLimiter limiter, boolean strict, Consumer<UnusedCosts> counter) {
    this.limiter = limiter;
    this.strict = strict;
    this.counter = counter;
  }

  /**
   * Returns the names of a request's unused costs, which the response lists.
   *
   * @param strictCall whether the client asks to reject the request if there are any
   * @throws ProblemException with status 400 if the request is rejected, or lacks a cost that a
   *     rule requires
   */
  public List<String> unused(Request request, boolean strictCall) {
    return unused(request, strictCall, NOT_IN_BATCH);
  }

  /**
   * Returns the names of the unused costs of each request.
   *
   * @return empty if none of them has any
   * @throws ProblemException as {@link #unused} does, for the first request that is rejected
   */
  public List<List<String>> unusedOfEach(List<Request> requests, boolean strictCall) {
    List<List<String>> all = List.of();
    for (int i = 0; i < requests.size(); i++) {
      var names = unused(requests.get(i), strictCall, i);
      if (names.isEmpty() && all.isEmpty()) continue;
      if (all.isEmpty()) {
        all = new ArrayList<>();
        for (int j = 0; j < requests.size(); j++) all.add(List.of());
      }
      all.set(i, names);
    }
    return all;
  }

  private List<String> unused(Request request, boolean strictCall, int index) {
    try {
      limiter.requireCosts(request);
    } catch (InvalidCostException e) {
      throw badCost(prefix(index), e);
    }
    var unused = limiter.unusedCosts(request);
    if (unused.isEmpty()) return List.of();
    counter.accept(unused);
    if (strict || strictCall) throw unusedProblem(prefix(index), unused);
    return unused.names();
  }

  private static String prefix(int index) {
    return index == NOT_IN_BATCH ? "" : "checks[%d].".formatted(index);
  }

  private ProblemException unusedProblem(String prefix, UnusedCosts unused) {
    boolean plain = unused.names().getFirst().equals(Request.PLAIN_COST);
    var spent = limiter.rules().rules().stream().filter(r -> unused.rules().contains(r.id()));
    var names =
        spent
            .flatMap(rule -> rule.limits().stream())
            .flatMap(limit -> limit.cost().stream())
            .distinct()
            .sorted()
            .toList();
    return ProblemException.badInput(
        plain ? prefix + Request.PLAIN_COST : prefix + COSTS,
        "has %s, which no limit that matches spends; %s"
            .formatted(
                String.join(", ", unused.names()),
                unused.rules().isEmpty()
                    ? "no rule matches the request"
                    : names.isEmpty()
                        ? "the rules that match spend the plain cost"
                        : "the rules that match spend " + String.join(", ", names)));
  }

  private static ProblemException badCost(String prefix, InvalidCostException e) {
    return ProblemException.badInput(
        prefix + COSTS + "." + e.cost(), String.valueOf(e.getMessage()));
  }
}
