package io.headgate.http;

import io.headgate.limit.LeakyBucket;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Determines how long rules may delay requests in their queues. Caches the result for the last rule
 * set. Thread-safe.
 */
public final class QueueDetector {
  private record Inspected(RuleSet rules, Duration longest) {}

  private volatile Inspected last = new Inspected(RuleSet.of(), Duration.ZERO);

  /**
   * Returns the longest delay of a request that the rules admit; zero if they have no queue. A
   * client that waits that long is never denied because of a delay.
   */
  @SuppressWarnings("ReferenceEquality")
  public Duration longestDelay(RuleSet rules) {
    var known = last;
    if (known.rules != rules) {
      known = new Inspected(rules, longestOf(rules));
      last = known;
    }
    return known.longest;
  }

  private static Duration longestOf(RuleSet rules) {
    return rules.rules().stream()
        .flatMap(rule ->
            Stream.concat(
                rule.limits().stream(),
                rule.overrides().stream().flatMap(other -> other.limits().stream())))
        .map(RuleLimit::limit)
        .filter(LeakyBucket.class::isInstance)
        .map(limit -> ((LeakyBucket) limit).longestDelay())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }
}
