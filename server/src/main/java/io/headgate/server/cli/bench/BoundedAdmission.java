package io.headgate.server.cli.bench;

/**
 * The permits that a load was granted by one limit, beside the most that the limit may grant.
 *
 * @param rule the id of the rule
 * @param limit the limit in words
 * @param admitted the permits granted
 * @param bound the most permits of the limit in the time that the load took
 */
public record BoundedAdmission(String rule, String limit, long admitted, long bound) {
  /** Returns whether the limit was exceeded. */
  public boolean isExceeded() {
    return admitted > bound;
  }
}
