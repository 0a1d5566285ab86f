package io.headgate;

import io.headgate.limit.Algorithm;
import io.headgate.limit.Outcome;
import io.headgate.rule.Counter;
import java.time.Duration;
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

  /**
   * Creates a report.
   *
   * @param enforced false if the limit belongs to a shadow rule
   */
  LimitReport(Counter counter, Outcome outcome, boolean enforced) {
    this.counter = counter;
    this.outcome = outcome;
    this.enforced = enforced;
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

  /** Returns the capacity: the highest number of permits available at once. */
  public long limit() {
    return counter.limit().capacity();
  }

  /** Returns the permits that are left. */
  public long remaining() {
    return outcome.remaining();
  }

  /** Returns the time until the limit is back at its capacity if it is not used. */
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
        && enforced == report.enforced;
  }

  @Override
  public int hashCode() {
    return Objects.hash(counter, outcome, enforced);
  }

  @Override
  public String toString() {
    return "%s: %d of %d left (%s%s%s)"
        .formatted(
            policy(),
            remaining(),
            limit(),
            algorithm(),
            violated() ? ", violated" : "",
            enforced ? "" : ", shadow");
  }

  static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1_000); // does not overflow: times are below 2^53 µs
  }
}
