package io.headgate;

import io.headgate.limit.Outcome;
import io.headgate.rule.Counter;
import java.time.Duration;
import java.util.Optional;

/**
 * How one limit stands after a request.
 *
 * @param policy the limit's name where rules are not named beside it, as in headers
 * @param limit the most that can be taken at once
 * @param window the time in which all of that comes back; of slots in flight, the lease
 * @param cost the named cost that it spends, such as bytes; empty for the plain one
 * @param violated whether this limit refused the request
 * @param enforced false if it belongs to a shadow rule
 */
public record LimitReport(
    String rule,
    String name,
    String policy,
    String algorithm,
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
    return Duration.ofNanos(micros * 1_000); // exact: no limit counts beyond 2^53 µs
  }
}
