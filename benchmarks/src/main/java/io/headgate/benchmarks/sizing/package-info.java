/**
 * Measures the figures from which {@code headgate size} computes memory, CPU and network: bytes of
 * a key in memory, in Redis and in the cluster, and the cost of a decision in Redis.
 */
@NullMarked
package io.headgate.benchmarks.sizing;

import org.jspecify.annotations.NullMarked;
