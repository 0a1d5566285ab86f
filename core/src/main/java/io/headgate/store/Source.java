package io.headgate.store;

/** What a decision is based on. */
public enum Source {
  /** The shared state in the store, or the rules alone if no limit with a state applies. */
  STORE,
  /** Permits that this instance holds under a permit lease. */
  LEASE,
  /**
   * A cached denial, the cached level of a rule that sheds load, the local copy of a counter under
   * {@code consistency: eventual}, or what the store last reported about a counter, because the
   * reply to this request is late.
   */
  CACHE,
  /** The rule's failure policy: the store is unavailable. */
  FALLBACK,
  /**
   * The permits of this region: it has spent its share of the limit, and home, which has the rest,
   * is unreachable. The request is denied, because other regions may have spent that rest.
   */
  REGION
}
