package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.Batch;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The way to the servers. Stages fail with a {@link io.headgate.store.StoreException}; nothing is
 * sent twice.
 */
public interface RedisConnection extends AutoCloseable {
  /** Decides a {@link Batch}; all its keys are in one slot. */
  CompletionStage<byte[]> decide(byte[][] keys, byte[] argument);

  /** Says that an instance is here; gives how many there are. */
  CompletionStage<Long> announce(byte[] key, byte[] instance, byte[] millis);

  /** Forgets a key, and tells every instance that listens. */
  CompletionStage<Long> forget(byte[] key);

  /** Notifies every instance that permits of a key were returned before their time. */
  CompletionStage<Long> announceReturn(byte[] key);

  /** Keeps a value for a while. */
  CompletionStage<?> put(byte[] key, byte[] value, long millis);

  /** The value of a key, if there is one. */
  CompletionStage<Optional<byte[]>> get(byte[] key);

  /** Tells every instance that listens. */
  CompletionStage<Long> publish(byte[] channel, byte[] message);

  /** How many keys there are, those of others included. */
  CompletionStage<Long> size();

  /**
   * Which counters may be reached in one call: those of one number.
   *
   * @param key a counter's key, as a charge has it
   */
  int laneOf(String key);

  @Override
  void close();
}
