package io.headgate.server.simulation;

/** Decision of one simulated request. */
public enum SimulatedDecision {
  /** Admitted at once. */
  ADMITTED,
  /** Admitted after a delay. */
  DELAYED,
  DENIED
}
