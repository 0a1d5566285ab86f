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
 * One connection to one server: the one named, or the one that Sentinel names.
 *
 * <p>Lettuce's own reconnecting is off, since it sends again what had no answer: a charge could be
 * made twice, or long after its caller was told something else. Here what was under way when a
 * connection ends has failed, and a new connection begins empty. One connection serves all callers:
 * the server runs one script at a time, and batches keep it busy.
 */
final class DirectConnection implements RedisConnection {
  private static final long SHORTEST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 1_000;

  private final RedisClient client;
  private final RedisURI address;
  private final String server;
  private final byte[] channel;
  private final ScheduledExecutorService timer;
  private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
  private volatile StoreException problem;
  private boolean connecting; // guarded by this
  private boolean closed; // guarded by this
  private long pauseMillis = SHORTEST_PAUSE_MILLIS; // guarded by this

  DirectConnection(
      RedisClient client,
      RedisURI address,
      String server,
      byte[] channel,
      ScheduledExecutorService timer) {
    this.client = client;
    this.address = address;
    this.server = server;
    this.channel = channel;
    this.timer = timer;
    this.problem =
        new StoreException(Kind.CONNECTION, "not yet connected to Redis at " + server, null);
  }

  /** Tries once, and if that fails goes on trying; the stage ends with the first attempt. */
  CompletionStage<?> connect() {
    synchronized (this) {
      if (closed || connecting) return CompletableFuture.completedStage(null);
      connecting = true;
    }
    return attempt()
        .handle((made, failure) -> {
          if (failure == null) connected(made);
          else failed(failure);
          return made;
        });
  }

  private CompletionStage<StatefulRedisConnection<byte[], byte[]>> attempt() {
    try {
      return client.connectAsync(ByteArrayCodec.INSTANCE, address);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void connected(StatefulRedisConnection<byte[], byte[]> made) {
    made.addListener(
        new RedisConnectionStateAdapter() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
            lost(made);
          }
        });
    boolean late;
    synchronized (this) {
      connecting = false;
      pauseMillis = SHORTEST_PAUSE_MILLIS;
      late = closed;
      if (!late) connection = made;
    }
    if (late) drop(made);
    else if (!made.isOpen()) lost(made); // it may have ended before anybody listened
  }

  private void failed(Throwable failure) {
    problem = LettuceErrors.translated(failure, server);
    synchronized (this) {
      connecting = false;
      if (closed) return;
      long pause = ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1);
      pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
      var unused = timer.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private void lost(StatefulRedisConnection<byte[], byte[]> ended) {
    synchronized (this) {
      if (connection != ended) return;
      connection = null;
      problem =
          new StoreException(
              Kind.CONNECTION, "Redis at " + server + " closed the connection", null);
    }
    var unused = connect();
  }

  private static void drop(StatefulRedisConnection<byte[], byte[]> unwanted) {
    var unused = unwanted.closeAsync();
  }

  private void reconnect() {
    StatefulRedisConnection<byte[], byte[]> old;
    synchronized (this) {
      old = connection;
      if (old == null) return;
      connection = null;
      problem = new StoreException(Kind.CONNECTION, "connecting anew to Redis at " + server, null);
    }
    drop(old);
    var unused = connect();
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    return with(redis -> ScriptCalls.decide(redis, keys, argument));
  }

  @Override
  public CompletionStage<Long> announce(byte[] key, byte[] instance, byte[] millis) {
    return with(redis -> ScriptCalls.announce(redis, key, instance, millis));
  }

  @Override
  public CompletionStage<Long> forget(byte[] key) {
    return with(redis -> redis.del(key).thenCompose(gone -> redis.publish(channel, key)));
  }

  @Override
  public CompletionStage<Long> announceReturn(byte[] key) {
    return with(redis -> redis.publish(channel, ResetSubscriber.returned(key)));
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
  public CompletionStage<Long> publish(byte[] to, byte[] message) {
    return with(redis -> redis.publish(to, message));
  }

  @Override
  public CompletionStage<Long> size() {
    return with(RedisAsyncCommands::dbsize);
  }

  private <T> CompletionStage<T> with(
      Function<RedisAsyncCommands<byte[], byte[]>, CompletionStage<T>> action) {
    var current = connection;
    if (current == null) return CompletableFuture.failedStage(problem.unsent());
    CompletionStage<T> stage;
    try {
      stage = action.apply(current.async());
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedStage(e);
    }
    return stage.exceptionallyCompose(failure -> {
      if (LettuceErrors.isFromWrongServer(failure)) reconnect();
      return CompletableFuture.failedStage(LettuceErrors.translated(failure, server));
    });
  }

  @Override
  public int laneOf(String key) {
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
