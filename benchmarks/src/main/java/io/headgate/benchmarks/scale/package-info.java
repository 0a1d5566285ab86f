/**
 * Measures behaviour at scale: millions of keys and 100,000 rules in memory, a constant rate over a
 * long time, latency under open-loop load, many HTTP connections, and a Redis Cluster.
 */
@NullMarked
package io.headgate.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
