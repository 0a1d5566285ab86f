/**
 * Simulates adaptive limits and load shedding in virtual time, and measures them on two real
 * servers. Start with {@link io.headgate.benchmarks.adaptive.Simulation}.
 *
 * <p>A {@link io.headgate.benchmarks.adaptive.Plant} describes a server and its traffic, an {@link
 * io.headgate.benchmarks.adaptive.AdmissionPolicy} admits or refuses requests, and a run is a
 * function of both and a seed. A new policy implements the interface and is added to {@link
 * io.headgate.benchmarks.adaptive.Contender}.
 */
@NullMarked
package io.headgate.benchmarks.adaptive;

import org.jspecify.annotations.NullMarked;
