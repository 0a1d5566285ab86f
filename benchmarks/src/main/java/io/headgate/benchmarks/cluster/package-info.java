/**
 * Measures the cluster store with members in processes of their own: its speed beside Redis, and
 * its behaviour while members and the network fail.
 *
 * <p>Start with {@link io.headgate.benchmarks.cluster.ClusterSpeed}. A {@link
 * io.headgate.benchmarks.cluster.MemberMain} is one process: a member of the cluster with its own
 * callers, which a {@link io.headgate.benchmarks.cluster.Member} controls by lines of text.
 */
@NullMarked
package io.headgate.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
