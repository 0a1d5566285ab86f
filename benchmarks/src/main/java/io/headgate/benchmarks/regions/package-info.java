/**
 * Measures regions that share a limit, as processes of the service with real Redis servers and a
 * proxy that delays and cuts the connections to home. Start at {@link
 * io.headgate.benchmarks.regions.RegionBenchmark}.
 */
@NullMarked
package io.headgate.benchmarks.regions;

import org.jspecify.annotations.NullMarked;
