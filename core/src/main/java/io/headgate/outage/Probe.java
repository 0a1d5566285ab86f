package io.headgate.outage;

/**
 * Asks whether a store that was away is back.
 *
 * <p>It should need all that a decision needs: a server may answer a ping and still refuse every
 * write. And it should end by itself, or when its thread is interrupted.
 */
@FunctionalInterface
public interface Probe {
  /** Ends normally if the store can be asked again, and throws anything if it can't. */
  void probe() throws Exception;
}
