package io.headgate.internal.script;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A connection to the servers that evaluate batches: Redis servers or the members of a cluster.
 * Stages fail with a {@link io.headgate.store.StoreException}. No command that may have been
 * executed is sent again. Implementations are thread-safe.
 */
public interface ScriptConnection extends AutoCloseable {
  /** Evaluates a {@code Batch} and returns the reply; all keys are in one hash slot. */
  CompletionStage<byte[]> decide(byte[][] keys, byte[] argument);

  /** Deletes a counter and publishes its key to all instances. */
  CompletionStage<Long> reset(byte[] key);

  /** Publishes to all instances that permits of a counter were returned early. */
  CompletionStage<Long> publishReturn(byte[] key);

  /** Returns the number of keys of all servers. */
  CompletionStage<Long> size();

  /**
   * Returns the hash slot of a counter; 0 where there are no slots. Counters of one slot can be
   * evaluated in one call.
   *
   * @param key the key of a {@code Charge}
   */
  int hashSlot(String key);

  /** Returns whether the servers keep reservations. */
  default boolean keepsReservations() {
    return false;
  }

  /**
   * Changes or reads the list of open reservations.
   *
   * @param keys those of {@code reservations.lua}, in one hash slot
   * @param arguments those of {@code reservations.lua}
   * @return numbers, and texts as bytes
   * @throws UnsupportedOperationException if the servers keep no reservations
   */
  default CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
    throw new UnsupportedOperationException("the servers keep no reservations");
  }

  /** Returns the encoding of limits that the servers decode. */
  default LimitFormat limitFormat() {
    return LimitFormat.NUMBERS;
  }

  @Override
  void close();
}
