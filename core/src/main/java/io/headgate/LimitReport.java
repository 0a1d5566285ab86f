package io.headgate;

import io.headgate.limit.Algorithm;
import io.headgate.limit.Outcome;
import io.headgate.rule.Counter;
import java.time.Duration;
import java.util.Optional;

/**
 * The state of one limit after a request.
 *
 * @param rule the id of the rule
 * @param name the name of the limit within the rule
 * @param policy the name of the limit across all rules, as used in headers: {@code rule/name}, or
 *     the rule's id if both are equal
 * @param algorithm the algorithm of the limit
 * @param limit the capacity: the highest number of permits available at once
 * @param remaining the permits that are left
 * @param resetAfter the time until the limit is back at its capacity if it is not used
 * @param window the time in which the whole capacity is refilled; for a concurrency limit, the time
 *     after which a slot expires
 * @param cost the named cost that the limit is charged, such as {@code bytes}; empty for the
 *     request's plain cost
 * @param violated whether this limit refused the request
 * @param enforced false if the limit belongs to a shadow rule
 */
public record LimitReport(
    String rule,
    String name,
    String policy,
    Algorithm algorithm,
    long limit,
    long remaining,
    Duration resetAfter,
    Duration window,
    Optional<String> cost,
    boolean violated,
    boolean enforced) {

  static LimitReport of(Counter counter, Outcome outcome, boolean enforced) {
    return new LimitReport(
        counter.rule(),
        counter.name(),
        counter.policy(),
        counter.limit().algorithm(),
        counter.limit().capacity(),
        outcome.remaining(),
        micros(outcome.resetAfter()),
        micros(counter.limit().window()),
        counter.cost(),
        !(outcome instanceof Outcome.Passed),
        enforced);
  }

  static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1_000); // does not overflow: times are below 2^53 µs
  }
}
