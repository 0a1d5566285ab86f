package io.headgate.server.quota;

/**
 * A message to a proxy about one of its buckets.
 *
 * @param <B> the identity of a bucket in the protocol
 */
public sealed interface QuotaAction<B> {
  /** Returns the bucket. */
  B bucket();

  /**
   * Assigns a strategy.
   *
   * @param replaces whether the proxy must begin with all permits of the strategy, even if the
   *     previous one was equal. Otherwise the message extends the lifetime of the previous one
   */
  record Assign<B>(B bucket, QuotaStrategy strategy, boolean replaces) implements QuotaAction<B> {}

  /** Makes the proxy drop the bucket, and report it again with its next request. */
  record Abandon<B>(B bucket) implements QuotaAction<B> {}
}
