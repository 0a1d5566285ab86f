package io.headgate.redis;

import io.headgate.redis.internal.connection.PubSub;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.store.InstanceChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Exchanges small messages between the instances that share a store: stores the latest content of a
 * topic and publishes a notice to all subscribed instances.
 *
 * <p>Delivery is best-effort. A component that must not miss a change polls its own source from
 * time to time. Thread-safe.
 */
public final class Broadcast implements InstanceChannel {
  private final RedisConnection connection;
  private final PubSub pubSub;
  private final String prefix;

  Broadcast(RedisConnection connection, PubSub pubSub, String prefix) {
    this.connection = connection;
    this.pubSub = pubSub;
    this.prefix = prefix;
  }

  /**
   * Stores the content of a topic, then publishes a notice of it.
   *
   * @param topic names the key and the channel, after the store's prefix
   * @param ttl how long the content is stored
   * @param notice the message that subscribers receive
   * @return completes when the notice was published; fails with a {@link
   *     io.headgate.store.StoreException} if Redis is unavailable
   */
  @Override
  public CompletionStage<?> post(String topic, byte[] content, Duration ttl, String notice) {
    return connection
        .put(name(topic), content, ttl.toMillis())
        .thenCompose(stored -> connection.publish(name(topic), bytes(notice)));
  }

  /** Returns the latest content of a topic; empty if there is none or it has expired. */
  @Override
  public CompletionStage<Optional<byte[]>> read(String topic) {
    return connection.get(name(topic));
  }

  /**
   * Passes each later notice of a topic to {@code listener} until the store is closed. Notices that
   * are published while the connection is down are lost. The listener runs on the connection's
   * event loop, so it must not block.
   */
  @Override
  public void listen(String topic, Consumer<String> listener) {
    pubSub.subscribe(
        prefix + topic, message -> listener.accept(new String(message, StandardCharsets.UTF_8)));
  }

  private byte[] name(String topic) {
    return bytes(prefix + topic);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
