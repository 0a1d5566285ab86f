package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to channels over one connection. Listeners are notified when their subscription starts
 * and when the connection is lost, since messages published in between are lost. Thread-safe.
 */
public final class PubSub implements AutoCloseable {
  private static final long RETRY_MILLIS = 500;

  /** Receives the messages of a channel. Runs on the event loop, so it must not block. */
  public interface Listener {
    /** Called with each message of the channel. */
    void onMessage(byte[] message);

    /** Called when the subscription starts, and again after a reconnect. */
    default void onSubscribed() {}

    /** Called when the connection is lost. */
    default void onDisconnected() {}
  }

  private final Supplier<CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> connect;
  private final ScheduledExecutorService timer;
  private final Map<String, Listener> listeners = new ConcurrentHashMap<>();
  private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection; // guarded by this
  private boolean closed; // guarded by this

  /** Creates a subscription that is not connected yet. */
  public PubSub(
      Supplier<CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> connect,
      ScheduledExecutorService timer) {
    this.connect = connect;
    this.timer = timer;
  }

  /** Subscribes a listener now, or as soon as there is a connection. */
  public void subscribe(String channel, Listener listener) {
    StatefulRedisPubSubConnection<byte[], byte[]> current;
    synchronized (this) {
      listeners.put(channel, listener);
      current = connection;
    }
    if (current != null) subscribe(current, List.of(channel));
  }

  /** Connects and subscribes, with retries until it succeeds. Lettuce reconnects after that. */
  public void start() {
    synchronized (this) {
      if (closed) return;
    }
    CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> attempt;
    try {
      attempt = connect.get();
    } catch (RuntimeException e) {
      retryLater();
      return;
    }
    var unused =
        attempt.handle((established, failure) -> {
          if (failure == null) onConnected(established);
          else retryLater();
          return established;
        });
  }

  private void retryLater() {
    synchronized (this) {
      if (closed) return;
      var unused = timer.schedule(this::start, RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void onConnected(StatefulRedisPubSubConnection<byte[], byte[]> established) {
    established.addListener(new Messages());
    established.addListener(
        new RedisConnectionStateAdapter() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
            listeners.values().forEach(Listener::onDisconnected);
          }
        });
    boolean closedMeanwhile;
    List<String> channels;
    synchronized (this) {
      closedMeanwhile = closed;
      connection = established;
      channels = List.copyOf(listeners.keySet());
    }
    if (closedMeanwhile) closeAsync(established);
    else subscribe(established, channels);
  }

  private void subscribe(
      StatefulRedisPubSubConnection<byte[], byte[]> established, List<String> channels) {
    if (channels.isEmpty()) return;
    var names = channels.stream().map(PubSub::bytes).toArray(byte[][]::new);
    var unused =
        established
            .async()
            .subscribe(names)
            .exceptionally(failure -> {
              discard(established);
              return null;
            });
  }

  /** Replaces a connection once, even if several subscriptions on it fail. */
  @SuppressWarnings("ReferenceEquality")
  private void discard(StatefulRedisPubSubConnection<byte[], byte[]> failed) {
    synchronized (this) {
      if (connection != failed) return;
      connection = null;
    }
    closeAsync(failed);
    retryLater();
  }

  private static void closeAsync(StatefulRedisPubSubConnection<byte[], byte[]> unwanted) {
    var unused = unwanted.closeAsync();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private final class Messages extends RedisPubSubAdapter<byte[], byte[]> {
    @Override
    public void message(byte[] channel, byte[] message) {
      var listener = listeners.get(text(channel));
      if (listener != null) listener.onMessage(message);
    }

    @Override
    public void subscribed(byte[] channel, long count) {
      var listener = listeners.get(text(channel));
      if (listener != null) listener.onSubscribed();
    }
  }

  /**
   * Closes the connection without waiting: the event loop that closes it may be waiting for this
   * object's lock, to handle a refused subscription.
   */
  @Override
  public void close() {
    StatefulRedisPubSubConnection<byte[], byte[]> current;
    synchronized (this) {
      closed = true;
      current = connection;
      connection = null;
    }
    if (current != null) closeAsync(current);
  }
}
