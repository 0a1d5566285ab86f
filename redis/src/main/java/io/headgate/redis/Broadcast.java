package io.headgate.redis;

import io.headgate.redis.internal.connection.PubSub;
import io.headgate.redis.internal.connection.RedisConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Where instances leave word for each other: the latest content of a topic for whoever comes by,
 * and a notice to those who listen. Nothing here is certain to arrive: who needs to know for sure
 * looks elsewhere from time to time.
 */
public final class Broadcast {
  private final RedisConnection link;
  private final PubSub hearing;
  private final String prefix;

  Broadcast(RedisConnection link, PubSub hearing, String prefix) {
    this.link = link;
    this.hearing = hearing;
    this.prefix = prefix;
  }

  /**
   * Keeps the content for a while, then gives notice of it.
   *
   * @param topic names the key and the channel, behind the store's prefix
   * @return fails with a {@link io.headgate.store.StoreException} if Redis is away
   */
  public CompletionStage<?> post(String topic, byte[] content, Duration keep, String notice) {
    return link.put(name(topic), content, keep.toMillis())
        .thenCompose(kept -> link.publish(name(topic), bytes(notice)));
  }

  /** What was posted last, if it is still there. */
  public CompletionStage<Optional<byte[]>> read(String topic) {
    return link.get(name(topic));
  }

  /**
   * Gives each later notice to {@code listener}, as long as the store is open and whenever there is
   * a connection. It is called by the connection's own thread, so it must not wait.
   */
  public void listen(String topic, Consumer<String> listener) {
    hearing.listen(
        prefix + topic, message -> listener.accept(new String(message, StandardCharsets.UTF_8)));
  }

  private byte[] name(String topic) {
    return bytes(prefix + topic);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
