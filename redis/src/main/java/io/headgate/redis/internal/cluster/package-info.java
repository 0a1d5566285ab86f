/**
 * Failure domains of a Redis Cluster, each with a circuit breaker of its own. Not part of the
 * public API.
 */
@NullMarked
package io.headgate.redis.internal.cluster;

import org.jspecify.annotations.NullMarked;
