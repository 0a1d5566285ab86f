/**
 * The embeddable rate limiter: the façade {@link io.headgate.RateLimiter}, the algorithms, the rule
 * model, and the contract that stores implement.
 *
 * <p>The packages named {@code internal} are for the modules of Headgate. They may change in any
 * release.
 */
module io.headgate.core {
  requires static java.net.http;
  requires static transitive org.jspecify;

  exports io.headgate;
  exports io.headgate.limit;
  exports io.headgate.load;
  exports io.headgate.reservation;
  exports io.headgate.rule;
  exports io.headgate.store;
  exports io.headgate.internal.consistency to
      io.headgate.redis,
      io.headgate.cluster;
  exports io.headgate.internal.http to
      io.headgate.client,
      io.headgate.redis;
  exports io.headgate.internal.outage to
      io.headgate.redis,
      io.headgate.cluster;
  exports io.headgate.internal.region to
      io.headgate.redis;
  exports io.headgate.internal.script to
      io.headgate.redis,
      io.headgate.cluster;
}
