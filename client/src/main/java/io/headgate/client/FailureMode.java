package io.headgate.client;

/**
 * How a client decides while the service is unavailable: it can't be reached, does not answer
 * within the deadline, answers with a server error, or its answer can't be parsed. A request that
 * the service rejects, such as one with a wrong token, is not subject to it: that is a {@link
 * RequestRejectedException} in every mode.
 */
public enum FailureMode {
  /** Allows the request: fail-open. */
  ALLOW,
  /** Denies the request: fail-closed. */
  DENY,
  /** Throws {@link HeadgateException}. */
  THROW
}
