package io.headgate.redis.internal.connection;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A connection to the Redis servers. Stages fail with a {@link io.headgate.store.StoreException}.
 * No command that may have been executed is sent again. Implementations are thread-safe.
 */
public interface RedisConnection extends AutoCloseable {
  /** Runs the script on a {@code Batch} and returns its reply; all keys are in one hash slot. */
  CompletionStage<byte[]> decide(byte[][] keys, byte[] argument);

  /** Sends a heartbeat of an instance; returns the number of instances. */
  CompletionStage<Long> heartbeat(byte[] key, byte[] instance, byte[] millis);

  /**
   * Applies a report of the load of a backend, or reads the load.
   *
   * @param arguments those of {@code signals.lua}
   */
  CompletionStage<byte[]> signal(byte[] key, byte[]... arguments);

  /**
   * Changes or reads the list of open reservations.
   *
   * @param keys those of {@code reservations.lua}, in one hash slot
   * @param arguments those of {@code reservations.lua}
   * @return numbers, and texts as bytes
   */
  CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments);

  /** Deletes a counter and publishes its key to all instances. */
  CompletionStage<Long> reset(byte[] key);

  /** Publishes to all instances that permits of a counter were returned early. */
  CompletionStage<Long> publishReturn(byte[] key);

  /** Stores a value that expires after {@code millis}. */
  CompletionStage<?> put(byte[] key, byte[] value, long millis);

  /** Returns the value of a key; empty if there is none. */
  CompletionStage<Optional<byte[]>> get(byte[] key);

  /** Publishes a message; returns the number of receivers. */
  CompletionStage<Long> publish(byte[] channel, byte[] message);

  /** Returns the number of keys, including keys of other applications. */
  CompletionStage<Long> size();

  /**
   * Returns the hash slot of a counter; 0 where there are no slots. Counters of one slot can be
   * evaluated in one call.
   *
   * @param key the key of a {@code Charge}
   */
  int hashSlot(String key);

  @Override
  void close();
}
