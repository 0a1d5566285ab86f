package io.headgate.server.quota;

import io.headgate.rule.Subject;

/**
 * A report of one bucket.
 *
 * @param id the identity of the bucket in the protocol, as a key of maps
 * @param subject the subject of its requests
 * @param admitted the requests that the proxy has admitted since its last report
 * @param denied the requests that it has denied
 */
public record QuotaUsage<B>(B id, Subject subject, long admitted, long denied) {
  /** The highest number of requests that a report counts. */
  public static final long MAX_REQUESTS = 1L << 40;

  /** Limits the numbers, which a proxy may choose. A negative number is a large unsigned one. */
  public QuotaUsage {
    admitted = bounded(admitted);
    denied = bounded(denied);
  }

  private static long bounded(long requests) {
    return requests < 0 ? MAX_REQUESTS : Math.min(requests, MAX_REQUESTS);
  }
}
