package io.headgate.client;

import java.time.Duration;
import java.util.Optional;

/**
 * The state of one limit, as the service reported it.
 *
 * @param rule the id of the rule
 * @param name the name of the limit within the rule
 * @param algorithm the id of the algorithm, such as {@code token-bucket}
 * @param limit the highest number of permits available at once
 * @param remaining the permits that are left; empty if unknown
 * @param resetAfter the time until all permits are back; empty if unknown
 */
public record RemoteLimit(
    String rule,
    String name,
    String algorithm,
    long limit,
    Optional<Long> remaining,
    Optional<Duration> resetAfter) {

  /**
   * Returns the name across all rules: {@code rule/name}, or the id of the rule if both are equal.
   */
  public String policy() {
    return rule.equals(name) ? rule : rule + "/" + name;
  }
}
