/**
 * Real Redis processes to test against: one server, a Sentinel group, a cluster; to be killed,
 * paused and resharded. Start at {@link io.headgate.testkit.redis.RedisServer}.
 *
 * <p>Speaks to them through a plain socket. No Redis client may come in here: what tests a client
 * must not share its mistakes.
 */
@NullMarked
package io.headgate.testkit.redis;

import org.jspecify.annotations.NullMarked;
