package io.headgate.server.check;

import io.headgate.limit.LeakyBucket;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether rules delay requests in a queue. Caches the result for the last rule set. Not
 * thread-safe.
 */
final class QueueDetector {
  private @Nullable RuleSet inspected;
  private boolean present;

  @SuppressWarnings("ReferenceEquality")
  boolean isPresentIn(RuleSet rules) {
    if (rules != inspected) {
      present =
          rules.rules().stream()
              .flatMap(rule ->
                  Stream.concat(
                      rule.limits().stream(),
                      rule.overrides().stream().flatMap(other -> other.limits().stream())))
              .map(RuleLimit::limit)
              .anyMatch(limit ->
                  limit instanceof LeakyBucket bucket
                      && !(bucket.queue() instanceof LeakyBucket.Queue.None));
      inspected = rules;
    }
    return present;
  }
}
