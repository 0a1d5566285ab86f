/** Deterministic simulation. */
@org.jspecify.annotations.NullMarked
package io.headgate.simulation;
