package io.headgate.rulefile;

import io.headgate.limit.Algorithm;
import io.headgate.rule.Rule;

/**
 * The field {@code status} of a rule: the HTTP status of a denial. Limiters are independent of
 * HTTP, so the status is one of the {@linkplain Rule#properties properties} of the rule.
 */
public final class RuleStatus {
  /** The name of the property. */
  public static final String PROPERTY = "status";

  /** The status of a denial by a rule that sets none. */
  public static final int TOO_MANY_REQUESTS = 429;

  /** The status of a denial by a {@code deny} limit of a rule that sets none. */
  public static final int FORBIDDEN = 403;

  /** The status of a request that a rule drops to shed load, if the rule sets none. */
  public static final int SERVICE_UNAVAILABLE = 503;

  /**
   * Returns the HTTP status of a denial by a limit of the rule.
   *
   * @param algorithm of the limit that denied
   * @throws IllegalArgumentException if the property is not a number from 400 to 599; it always is
   *     in a rule that was read from a file
   */
  public static int of(Rule rule, Algorithm algorithm) {
    String text = rule.properties().get(PROPERTY);
    if (text != null) return parse(rule.id(), text);
    if (algorithm == Algorithm.SHED) return SERVICE_UNAVAILABLE;
    return algorithm == Algorithm.DENY ? FORBIDDEN : TOO_MANY_REQUESTS;
  }

  /**
   * Parses a status.
   *
   * @param id the id of the rule, for the message
   * @throws IllegalArgumentException if the text is not a number from 400 to 599
   */
  static int parse(String id, String text) {
    int status = CountSyntax.parseInteger(text);
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException(
          "status of rule '%s' must be 400 to 599, got %d".formatted(id, status));
    }
    return status;
  }

  private RuleStatus() {}
}
