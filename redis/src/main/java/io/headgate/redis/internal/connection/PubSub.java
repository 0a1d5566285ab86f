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
 * Hears what other instances say on channels, over one connection for all of them. Whoever listens
 * is told when it begins and when it ends, since what is said meanwhile is not heard.
 */
public final class PubSub implements AutoCloseable {
  private static final long AGAIN_MILLIS = 500;

  /** One who listens to a channel. Called by the connection's own thread: must not wait. */
  public interface Listener {
    void hear(byte[] message);

    default void begins() {}

    default void ends() {}
  }

  private final Supplier<CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> connect;
  private final ScheduledExecutorService timer;
  private final Map<String, Listener> ears = new ConcurrentHashMap<>();
  private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection; // guarded by this
  private boolean closed; // guarded by this

  public PubSub(
      Supplier<CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> connect,
      ScheduledExecutorService timer) {
    this.connect = connect;
    this.timer = timer;
  }

  /** Listens from now on, or as soon as there is a connection. */
  public void listen(String channel, Listener ear) {
    StatefulRedisPubSubConnection<byte[], byte[]> current;
    synchronized (this) {
      ears.put(channel, ear);
      current = connection;
    }
    if (current != null) subscribe(current, List.of(channel));
  }

  /** Subscribes, and if that fails tries again until it succeeds; then Lettuce sees to it. */
  public void start() {
    synchronized (this) {
      if (closed) return;
    }
    CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> attempt;
    try {
      attempt = connect.get();
    } catch (RuntimeException e) {
      again();
      return;
    }
    var unused =
        attempt.handle((made, failure) -> {
          if (failure == null) connected(made);
          else again();
          return made;
        });
  }

  private void again() {
    synchronized (this) {
      if (closed) return;
      var unused = timer.schedule(this::start, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void connected(StatefulRedisPubSubConnection<byte[], byte[]> made) {
    made.addListener(new Messages());
    made.addListener(
        new RedisConnectionStateAdapter() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
            ears.values().forEach(Listener::ends);
          }
        });
    boolean late;
    List<String> channels;
    synchronized (this) {
      late = closed;
      connection = made;
      channels = List.copyOf(ears.keySet());
    }
    if (late) drop(made);
    else subscribe(made, channels);
  }

  private void subscribe(
      StatefulRedisPubSubConnection<byte[], byte[]> made, List<String> channels) {
    if (channels.isEmpty()) return;
    var names = channels.stream().map(PubSub::bytes).toArray(byte[][]::new);
    var unused =
        made.async()
            .subscribe(names)
            .exceptionally(failure -> {
              giveUp(made);
              return null;
            });
  }

  /** Two channels may fail on one connection; one new attempt is enough. */
  @SuppressWarnings("ReferenceEquality")
  private void giveUp(StatefulRedisPubSubConnection<byte[], byte[]> failed) {
    synchronized (this) {
      if (connection != failed) return;
      connection = null;
    }
    drop(failed);
    again();
  }

  private static void drop(StatefulRedisPubSubConnection<byte[], byte[]> unwanted) {
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
    public void message(byte[] from, byte[] message) {
      var ear = ears.get(text(from));
      if (ear != null) ear.hear(message);
    }

    @Override
    public void subscribed(byte[] to, long count) {
      var ear = ears.get(text(to));
      if (ear != null) ear.begins();
    }
  }

  /**
   * Waits for nothing: the thread that would have to end the connection may be waiting for the
   * lock, having just been told that it can't subscribe.
   */
  @Override
  public void close() {
    StatefulRedisPubSubConnection<byte[], byte[]> current;
    synchronized (this) {
      closed = true;
      current = connection;
      connection = null;
    }
    if (current != null) drop(current);
  }
}
