package io.headgate;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Algorithm;
import io.headgate.limit.Outcome;
import io.headgate.rule.Counter;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The state of one limit after a request, or before it if the request was denied or a peek.
 * Immutable. Two reports are equal if they are of equal limits with the same outcome.
 */
public final class LimitReport {
  private final Counter counter;
  private final Outcome outcome;
  private final boolean enforced;
  private final Optional<FailurePolicy> onStoreFailure;

  /**
   * The bounds of a limit that follows the load.
   *
   * @param min the lowest number of permits
   * @param max the highest number of permits
   */
  public record LimitRange(long min, long max) {}

  /**
   * Creates a report.
   *
   * @param enforced false if the limit belongs to a shadow rule
   * @param onStoreFailure the policy that decided; empty if the store did
   */
  LimitReport(
      Counter counter, Outcome outcome, boolean enforced, Optional<FailurePolicy> onStoreFailure) {
    this.counter = counter;
    this.outcome = outcome;
    this.enforced = enforced;
    this.onStoreFailure = onStoreFailure;
  }

  Counter counter() {
    return counter;
  }

  Outcome outcome() {
    return outcome;
  }

  /** Returns the id of the rule. */
  public String rule() {
    return counter.rule();
  }

  /** Returns the name of the limit within the rule. */
  public String name() {
    return counter.name();
  }

  /**
   * Returns the name of the limit across all rules, as used in headers: {@code rule/name}, or the
   * rule's id if both are equal.
   */
  public String policy() {
    return counter.policy();
  }

  /** Returns the algorithm of the limit. */
  public Algorithm algorithm() {
    return counter.limit().algorithm();
  }

  /**
   * Returns the capacity: the highest number of permits available at once. Of an adaptive limit,
   * the number of slots at the time of the request.
   */
  public long limit() {
    return outcome.limit() > 0 ? outcome.limit() : counter.limit().capacity();
  }

  /** Returns the bounds of an adaptive limit; empty if the limit is constant. */
  public Optional<LimitRange> range() {
    return counter.limit() instanceof AdaptiveConcurrency slots
        ? Optional.of(new LimitRange(slots.min(), slots.max()))
        : Optional.empty();
  }

  /**
   * Returns the key of the subject's counter: the values of {@link #per}. A subject without an
   * attribute has the empty value, and shares a counter with all others of that kind.
   */
  public String keyOf(Subject subject) {
    return counter.keyOf(subject);
  }

  /**
   * Returns the attributes of which each distinct value has a counter of its own; empty if all
   * subjects share one.
   */
  public List<String> per() {
    return counter.per();
  }

  /**
   * Returns the failure policy that decided because the store is unavailable; empty if it is
   * available. Under {@code local}, the figures are those of this instance's share of the limit.
   */
  public Optional<FailurePolicy> onStoreFailure() {
    return onStoreFailure;
  }

  /**
   * Returns whether {@link #remaining} and {@link #resetAfter} are known. They are not while the
   * store is unavailable and a failure policy other than {@code local} decides, since no counter is
   * read then.
   */
  public boolean isKnown() {
    return onStoreFailure.isEmpty() || onStoreFailure.get() instanceof FailurePolicy.Local;
  }

  /** Returns the permits that are left; without meaning unless they are {@link #isKnown known}. */
  public long remaining() {
    return outcome.remaining();
  }

  /**
   * Returns the time until the limit is back at its capacity if it is not used; without meaning
   * unless it is {@link #isKnown known}.
   */
  public Duration resetAfter() {
    return micros(outcome.resetAfter());
  }

  /**
   * Returns the time in which the whole capacity is refilled; for a concurrency limit, the time
   * after which a slot expires.
   */
  public Duration window() {
    return micros(counter.limit().window());
  }

  /**
   * Returns the named cost that the limit is charged, such as {@code bytes}; empty for the
   * request's plain cost.
   */
  public Optional<String> cost() {
    return counter.cost();
  }

  /** Returns whether this limit refused the request. */
  public boolean violated() {
    return !(outcome instanceof Outcome.Passed);
  }

  /** Returns whether the limit can deny; false if it belongs to a shadow rule. */
  public boolean enforced() {
    return enforced;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LimitReport report
        && counter.equals(report.counter)
        && counter.limit().equals(report.counter.limit())
        && counter.cost().equals(report.counter.cost())
        && outcome.equals(report.outcome)
        && enforced == report.enforced
        && onStoreFailure.equals(report.onStoreFailure);
  }

  @Override
  public int hashCode() {
    return Objects.hash(counter, outcome, enforced);
  }

  @Override
  public String toString() {
    return "%s: %s of %d left (%s%s%s)"
        .formatted(
            policy(),
            isKnown() ? Long.toString(remaining()) : "unknown",
            limit(),
            algorithm(),
            violated() ? ", violated" : "",
            enforced ? "" : ", shadow");
  }

  static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1_000); // does not overflow: times are below 2^53 µs
  }
}
