package io.headgate.client;

import io.headgate.Decision;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The result of a check at a service: the decision, and what it was based on. Immutable.
 *
 * @param decision the decision
 * @param rule the id of the rule that determined it; empty if no rule applies or the client decided
 * @param source what it was based on. {@link Source#CACHE} if this client repeated a denial; {@link
 *     Source#LEASE} if it spent a permit of a local lease, or the service did; {@link
 *     Source#FALLBACK} if the store of the service is unavailable, or the service itself is
 * @param violated the policy names of the limits that refused
 * @param limits the state of every limit that applied
 * @param slotId the id of the slots that were acquired; empty if there are none
 * @param failure why the service was not asked or did not answer, if the {@link FailureMode} of the
 *     client decided; empty if the service decided
 * @param unusedCosts the costs of the request that no matching limit spends, such as a misspelled
 *     name
 */
public record RemoteResult(
    Decision decision,
    Optional<String> rule,
    Source source,
    List<String> violated,
    List<RemoteLimit> limits,
    Optional<String> slotId,
    Optional<String> failure,
    List<String> unusedCosts) {

  /** Copies the lists. */
  public RemoteResult {
    violated = List.copyOf(violated);
    limits = List.copyOf(limits);
    unusedCosts = List.copyOf(unusedCosts);
  }

  /** Creates a result without unused costs. */
  public RemoteResult(
      Decision decision,
      Optional<String> rule,
      Source source,
      List<String> violated,
      List<RemoteLimit> limits,
      Optional<String> slotId,
      Optional<String> failure) {
    this(decision, rule, source, violated, limits, slotId, failure, List.of());
  }

  /** Returns whether the request may go ahead, immediately or after its delay. */
  public boolean isAllowed() {
    return decision.isAllowed();
  }

  /** Returns how long the request has to wait; zero unless a limit queues requests. */
  public Duration delay() {
    return switch (decision) {
      case Decision.Delayed delayed -> delayed.delay();
      case Decision.Allowed allowed -> Duration.ZERO;
      case Decision.Denied denied -> Duration.ZERO;
      case Decision.Impossible impossible -> Duration.ZERO;
    };
  }

  /** Returns the result of a failure mode. */
  static RemoteResult ofFailure(Decision decision, String failure) {
    return new RemoteResult(
        decision,
        Optional.empty(),
        Source.FALLBACK,
        List.of(),
        List.of(),
        Optional.empty(),
        Optional.of(failure));
  }

  /** Returns the result of a check that a lease admits, with the permits that are left. */
  RemoteResult leased(long remaining) {
    var admitted =
        decision instanceof Decision.Allowed(var left, var resetAfter) && left >= 0
            ? new Decision.Allowed(left + remaining, resetAfter)
            : new Decision.Allowed(remaining, Duration.ZERO);
    return new RemoteResult(
        admitted,
        rule,
        Source.LEASE,
        List.of(),
        limits,
        Optional.empty(),
        Optional.empty(),
        unusedCosts);
  }

  /** Returns this denial as repeated by the cache, with the time that is left of its retry time. */
  RemoteResult repeated(Duration retryAfter) {
    return new RemoteResult(
        new Decision.Denied(retryAfter),
        rule,
        Source.CACHE,
        violated,
        limits,
        Optional.empty(),
        Optional.empty(),
        unusedCosts);
  }
}
