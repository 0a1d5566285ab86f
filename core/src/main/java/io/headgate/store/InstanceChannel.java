package io.headgate.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Carries messages between the instances that share a store. Implementations are thread-safe.
 * Stages fail with a {@link StoreException} if the store is unavailable.
 */
public interface InstanceChannel {
  /**
   * Stores the content of a topic, then publishes a notice of it.
   *
   * @param topic the name of the topic
   * @param ttl how long the content is stored
   * @param notice the message that subscribers receive
   * @return completes when the notice was published
   */
  CompletionStage<?> post(String topic, byte[] content, Duration ttl, String notice);

  /** Returns the latest content of a topic; empty if there is none or it has expired. */
  CompletionStage<Optional<byte[]>> read(String topic);

  /**
   * Passes each later notice of a topic to {@code listener} until the store is closed. Notices that
   * are published while this instance is cut off are lost. The listener runs on a thread of the
   * store, so it must not block.
   */
  void listen(String topic, Consumer<String> listener);
}
