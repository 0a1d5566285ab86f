package io.headgate.http;

import io.headgate.limit.LeakyBucket;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.util.stream.Stream;

/**
 * Detects whether rules delay requests in a queue. Caches the result for the last rule set.
 * Thread-safe.
 */
public final class QueueDetector {
  private record Inspected(RuleSet rules, boolean present) {}

  private volatile Inspected last = new Inspected(RuleSet.of(), false);

  /** Returns whether one of the rules has a limit with a queue. */
  @SuppressWarnings("ReferenceEquality")
  public boolean isPresentIn(RuleSet rules) {
    var known = last;
    if (known.rules != rules) {
      known = new Inspected(rules, hasQueue(rules));
      last = known;
    }
    return known.present;
  }

  private static boolean hasQueue(RuleSet rules) {
    return rules.rules().stream()
        .flatMap(rule ->
            Stream.concat(
                rule.limits().stream(),
                rule.overrides().stream().flatMap(other -> other.limits().stream())))
        .map(RuleLimit::limit)
        .anyMatch(limit ->
            limit instanceof LeakyBucket bucket
                && !(bucket.queue() instanceof LeakyBucket.Queue.None));
  }
}
