/**
 * Simulation of rules: generated traffic against limits ({@link
 * io.headgate.server.simulation.Playground}), and recorded traffic against other rules ({@link
 * io.headgate.server.simulation.Comparison}).
 *
 * <p>Contains traffic generators, the sample of recent traffic, and the simulators, which run the
 * real algorithms with a manual clock. Does not touch live counters, the system clock, HTTP or
 * files.
 */
@NullMarked
package io.headgate.server.simulation;

import org.jspecify.annotations.NullMarked;
