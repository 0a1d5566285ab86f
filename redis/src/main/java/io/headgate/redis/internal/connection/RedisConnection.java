package io.headgate.redis.internal.connection;

import io.headgate.internal.script.ScriptConnection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A connection to the Redis servers. Stages fail with a {@link io.headgate.store.StoreException}.
 * No command that may have been executed is sent again. Implementations are thread-safe.
 */
public interface RedisConnection extends ScriptConnection {
  /**
   * Sends a heartbeat of an instance, and counts the instances.
   *
   * @param instance the name of the instance; empty to count only
   * @param millis how long a heartbeat is valid
   */
  CompletionStage<InstanceCounts> heartbeat(byte[] key, byte[] instance, byte[] millis);

  /**
   * Applies a report of the load of a backend, or reads the load.
   *
   * @param arguments those of {@code signals.lua}
   */
  CompletionStage<byte[]> signal(byte[] key, byte[]... arguments);

  @Override
  default boolean keepsReservations() {
    return true;
  }

  @Override
  CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments);

  /**
   * Evaluates a batch at the home of regions; see {@code home-guard.lua}.
   *
   * @param keys those of the batch, and last the marker of home
   * @param lease the longest lease, in microseconds
   */
  default CompletionStage<byte[]> decideAtHome(byte[][] keys, byte[] argument, byte[] lease) {
    throw new UnsupportedOperationException("this connection has no home");
  }

  /**
   * Publishes the state of an instance of a region, and reads those of all.
   *
   * @param arguments those of {@code regions.lua}
   */
  default CompletionStage<List<Object>> regions(byte[] key, byte[]... arguments) {
    throw new UnsupportedOperationException("this connection has no home");
  }

  /** Stores a value that expires after {@code millis}. */
  CompletionStage<?> put(byte[] key, byte[] value, long millis);

  /** Returns the value of a key; empty if there is none. */
  CompletionStage<Optional<byte[]>> get(byte[] key);

  /** Publishes a message; returns the number of receivers. */
  CompletionStage<Long> publish(byte[] channel, byte[] message);
}
