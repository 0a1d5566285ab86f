package io.headgate.server.simulation;

/** What became of one request. */
public enum SimulatedDecision {
  /** It went ahead at once. */
  ADMITTED,
  /** It was told to wait, and then went ahead. */
  DELAYED,
  DENIED
}
