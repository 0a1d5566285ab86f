/**
 * Starts real Redis processes for tests: a server, a Sentinel group or a cluster. Tests can kill,
 * pause and reshard them. Start at {@link io.headgate.testkit.redis.RedisServer}.
 *
 * <p>The package uses its own RESP2 connection and must not depend on a Redis client: a test of a
 * client must not share the client's defects.
 */
@NullMarked
package io.headgate.testkit.redis;

import org.jspecify.annotations.NullMarked;
