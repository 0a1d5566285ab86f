/**
 * Connections to Redis through Lettuce: standalone, Sentinel and Cluster, Pub/Sub, the script
 * itself and the registry of instances. Not part of the public API.
 */
@NullMarked
package io.headgate.redis.internal.connection;

import org.jspecify.annotations.NullMarked;
