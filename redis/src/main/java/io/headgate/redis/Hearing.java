package io.headgate.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hears which counters are forgotten, by whichever instance, so that nothing is known here that is
 * not so any more. While the subscription is down nothing is remembered, since what others forget
 * is not heard.
 */
final class Hearing implements AutoCloseable {
  private static final long AGAIN_MILLIS = 500;

  private final Supplier<CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> connect;
  private final byte[] channel;
  private final ScheduledExecutorService timer;
  private final KnownDenials denials;
  private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection; // guarded by this
  private boolean closed; // guarded by this

  Hearing(
      Supplier<CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> connect,
      byte[] channel,
      ScheduledExecutorService timer,
      KnownDenials denials) {
    this.connect = connect;
    this.channel = channel;
    this.timer = timer;
    this.denials = denials;
  }

  /** Subscribes, and if that fails tries again until it succeeds; then Lettuce sees to it. */
  void start() {
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
          if (failure == null) subscribe(made);
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

  private void subscribe(StatefulRedisPubSubConnection<byte[], byte[]> made) {
    made.addListener(new Ear());
    made.addListener(
        new RedisConnectionStateAdapter() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
            denials.stopRemembering();
          }
        });
    boolean late;
    synchronized (this) {
      late = closed;
      connection = made;
    }
    if (late) {
      drop(made);
      return;
    }
    var unused =
        made.async()
            .subscribe(channel)
            .exceptionally(failure -> {
              drop(made);
              again();
              return null;
            });
  }

  private static void drop(StatefulRedisPubSubConnection<byte[], byte[]> unwanted) {
    var unused = unwanted.closeAsync();
  }

  private final class Ear extends RedisPubSubAdapter<byte[], byte[]> {
    @Override
    public void message(byte[] from, byte[] key) {
      denials.forget(new String(key, StandardCharsets.UTF_8));
    }

    @Override
    public void subscribed(byte[] to, long count) {
      denials.remember();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) connection.close();
  }
}
