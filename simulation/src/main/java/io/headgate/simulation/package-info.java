/**
 * Deterministic simulation testing. It runs the production code of several instances over a
 * simulated network and simulated Redis servers, in virtual time and in one thread, and checks
 * every decision. A seed determines the whole run. Start at {@link
 * io.headgate.simulation.Simulate}.
 */
@org.jspecify.annotations.NullMarked
package io.headgate.simulation;
