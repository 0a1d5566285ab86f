/**
 * The store in Redis: {@link io.headgate.redis.RedisStore}.
 *
 * <p>The packages named {@code internal} may change in any release.
 */
module io.headgate.redis {
  requires static transitive org.jspecify;
  requires transitive io.headgate.core;
  requires java.net.http;
  requires lettuce.core;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.handler;
  requires io.netty.buffer;

  exports io.headgate.redis;
}
