package io.headgate.internal.outage;

/**
 * Checks whether a store that was unavailable is available again.
 *
 * <p>A probe should use everything that a decision uses: a server may reply to PING and still
 * refuse every write. It should end within a bounded time, and when its thread is interrupted.
 */
@FunctionalInterface
public interface Probe {
  /** Returns normally if the store is available; throws any exception if it is not. */
  void probe() throws Exception;
}
