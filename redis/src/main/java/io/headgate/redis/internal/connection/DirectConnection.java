package io.headgate.redis.internal.connection;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server: a standalone server, or the primary that Sentinel reports.
 *
 * <p>Lettuce's automatic reconnect is disabled because it resends commands that had no reply. A
 * charge could then be made twice, or after its caller was answered by a failure policy. Instead,
 * commands in flight fail when the connection is lost, and a new connection starts empty. One
 * connection serves all callers, since the server runs one script at a time and batches keep it
 * busy. Thread-safe.
 */
final class DirectConnection implements RedisConnection {
  private static final long MIN_BACKOFF_MILLIS = 20;
  private static final long MAX_BACKOFF_MILLIS = 1_000;

  private final RedisClient client;
  private final RedisURI address;
  private final String server;
  private final byte[] resetChannel;
  private final ScheduledExecutorService timer;
  private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
  private volatile StoreException lastFailure;
  private boolean connecting; // guarded by this
  private boolean closed; // guarded by this
  private long backoffMillis = MIN_BACKOFF_MILLIS; // guarded by this

  DirectConnection(
      RedisClient client,
      RedisURI address,
      String server,
      byte[] resetChannel,
      ScheduledExecutorService timer) {
    this.client = client;
    this.address = address;
    this.server = server;
    this.resetChannel = resetChannel;
    this.timer = timer;
    this.lastFailure =
        new StoreException(Kind.CONNECTION, "not yet connected to Redis at " + server, null);
  }

  /** Connects, with retries in the background; the stage completes with the first attempt. */
  CompletionStage<?> connect() {
    synchronized (this) {
      if (closed || connecting) return CompletableFuture.completedStage(null);
      connecting = true;
    }
    return attempt()
        .handle((established, failure) -> {
          if (failure == null) onConnected(established);
          else onFailed(failure);
          return established;
        });
  }

  private CompletionStage<StatefulRedisConnection<byte[], byte[]>> attempt() {
    try {
      return client.connectAsync(ByteArrayCodec.INSTANCE, address);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void onConnected(StatefulRedisConnection<byte[], byte[]> established) {
    established.addListener(
        new RedisConnectionStateAdapter() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
            onDisconnected(established);
          }
        });
    boolean closedMeanwhile;
    synchronized (this) {
      connecting = false;
      backoffMillis = MIN_BACKOFF_MILLIS;
      closedMeanwhile = closed;
      if (!closedMeanwhile) connection = established;
    }
    if (closedMeanwhile) closeQuietly(established);
    else if (!established.isOpen())
      onDisconnected(established); // closed before the listener was added
  }

  private void onFailed(Throwable failure) {
    lastFailure = LettuceErrors.toStoreException(failure, server);
    synchronized (this) {
      connecting = false;
      if (closed) return;
      long pause = ThreadLocalRandom.current().nextLong(backoffMillis / 2, backoffMillis + 1);
      backoffMillis = Math.min(MAX_BACKOFF_MILLIS, backoffMillis * 2);
      var unused = timer.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private void onDisconnected(StatefulRedisConnection<byte[], byte[]> ended) {
    synchronized (this) {
      if (connection != ended) return;
      connection = null;
      lastFailure =
          new StoreException(
              Kind.CONNECTION, "Redis at " + server + " closed the connection", null);
    }
    var unused = connect();
  }

  private static void closeQuietly(StatefulRedisConnection<byte[], byte[]> discarded) {
    var unused = discarded.closeAsync();
  }

  private void reconnect() {
    StatefulRedisConnection<byte[], byte[]> old;
    synchronized (this) {
      old = connection;
      if (old == null) return;
      connection = null;
      lastFailure = new StoreException(Kind.CONNECTION, "reconnecting to Redis at " + server, null);
    }
    closeQuietly(old);
    var unused = connect();
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    return with(redis -> ScriptCalls.decide(redis, keys, argument));
  }

  @Override
  public CompletionStage<Long> heartbeat(byte[] key, byte[] instance, byte[] millis) {
    return with(redis -> ScriptCalls.heartbeat(redis, key, instance, millis));
  }

  @Override
  public CompletionStage<Long> reset(byte[] key) {
    return with(redis -> redis.del(key).thenCompose(deleted -> redis.publish(resetChannel, key)));
  }

  @Override
  public CompletionStage<Long> publishReturn(byte[] key) {
    return with(redis -> redis.publish(resetChannel, ResetSubscriber.returnMessage(key)));
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
    return with(redis -> redis.set(key, value, SetArgs.Builder.px(millis)));
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    return with(redis -> redis.get(key).thenApply(Optional::ofNullable));
  }

  @Override
  public CompletionStage<Long> publish(byte[] channel, byte[] message) {
    return with(redis -> redis.publish(channel, message));
  }

  @Override
  public CompletionStage<Long> size() {
    return with(RedisAsyncCommands::dbsize);
  }

  private <T> CompletionStage<T> with(
      Function<RedisAsyncCommands<byte[], byte[]>, CompletionStage<T>> action) {
    var current = connection;
    if (current == null) return CompletableFuture.failedStage(lastFailure.unsent());
    CompletionStage<T> stage;
    try {
      stage = action.apply(current.async());
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedStage(e);
    }
    return stage.exceptionallyCompose(failure -> {
      if (LettuceErrors.requiresReconnect(failure)) reconnect();
      return CompletableFuture.failedStage(LettuceErrors.toStoreException(failure, server));
    });
  }

  @Override
  public int hashSlot(String key) {
    return 0;
  }

  @Override
  public void close() {
    StatefulRedisConnection<byte[], byte[]> last;
    synchronized (this) {
      closed = true;
      last = connection;
      connection = null;
    }
    if (last != null) last.close();
  }
}
