package io.headgate.redis.internal.connection;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Connections to the primaries of a cluster, which Lettuce keeps and finds anew.
 *
 * <p>A batch has the keys of one slot, so each slot has a lane of its own.
 */
public final class ClusterConnection implements RedisConnection {
  private static final long SHORTEST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_REFRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long BETWEEN_SERVERS_MILLIS = 3;

  /** So often in any case: a process that is held up loses its patience before it could try. */
  private static final int LEAST_ATTEMPTS = 4;

  private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final RedisClusterClient client;
  private final String server;
  private final byte[] channel;
  private final ScheduledExecutorService timer;
  private final long patienceNanos;
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;
  private volatile StoreException problem;
  private final AtomicLong refreshedAt = new AtomicLong(System.nanoTime() - REFRESH_NANOS);
  private CompletableFuture<?> refreshing =
      CompletableFuture.completedFuture(null); // guarded by this
  private long pauseMillis = SHORTEST_PAUSE_MILLIS; // guarded by this
  private boolean closed; // guarded by this

  ClusterConnection(
      RedisClusterClient client,
      String server,
      byte[] channel,
      ScheduledExecutorService timer,
      Duration deadline) {
    this.client = client;
    this.server = server;
    this.channel = channel;
    this.timer = timer;
    this.patienceNanos = deadline.toNanos() / 2; // the rest is for the answer
    this.problem = new StoreException(Kind.CONNECTION, "not yet connected to " + server, null);
  }

  CompletionStage<?> connect() {
    synchronized (this) {
      if (closed) return CompletableFuture.completedStage(null);
    }
    return attempt()
        .handle((made, failure) -> {
          if (failure == null) connected(made);
          else failed(failure);
          return made;
        });
  }

  private CompletionStage<StatefulRedisClusterConnection<byte[], byte[]>> attempt() {
    try {
      return client
          .refreshPartitionsAsync()
          .thenCompose(known -> client.connectAsync(ByteArrayCodec.INSTANCE));
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void connected(StatefulRedisClusterConnection<byte[], byte[]> made) {
    synchronized (this) {
      pauseMillis = SHORTEST_PAUSE_MILLIS;
      if (!closed) {
        connection = made;
        return;
      }
    }
    var unused = made.closeAsync();
  }

  private void failed(Throwable failure) {
    problem = LettuceErrors.translated(failure, server);
    synchronized (this) {
      if (closed) return;
      long pause = ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1);
      pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
      var unused = timer.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Asks who has which slot; connections to those who have left are closed by it. It asks every
   * server there is, so not for each of many failures at one time, nor while a caller waits.
   */
  public void reconnect() {
    long last = refreshedAt.get();
    long now = System.nanoTime();
    if (now - last < REFRESH_NANOS || !refreshedAt.compareAndSet(last, now)) return;
    synchronized (this) {
      if (closed) return;
      refreshing =
          CompletableFuture.supplyAsync(client::refreshPartitionsAsync, timer)
              .thenCompose(refresh -> refresh);
    }
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    return decide(keys, argument, new Patience(System.nanoTime(), 1));
  }

  /** How long something has been tried, and how often. */
  private record Patience(long since, int attempts) {
    boolean isOver(long most) {
      return attempts >= LEAST_ATTEMPTS && System.nanoTime() - since >= most;
    }

    Patience next() {
      return new Patience(since, attempts + 1);
    }
  }

  /** Sends again only what was not sent, or what no server did anything about. */
  private CompletionStage<byte[]> decide(byte[][] keys, byte[] argument, Patience patience) {
    return send(keys, argument)
        .exceptionallyCompose(failure -> {
          if (LettuceErrors.wasNotSent(failure)) {
            return reach(keys[0]).thenCompose(reached -> send(keys, argument));
          }
          if (LettuceErrors.isBetweenServers(failure) && !patience.isOver(patienceNanos)) {
            return pause().thenCompose(over -> decide(keys, argument, patience.next()));
          }
          return CompletableFuture.failedStage(failure);
        });
  }

  private CompletionStage<byte[]> send(byte[][] keys, byte[] argument) {
    return with(redis -> ScriptCalls.decide(redis, keys, argument));
  }

  private static CompletionStage<?> pause() {
    return new CompletableFuture<>()
        .completeOnTimeout(null, BETWEEN_SERVERS_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Connects to the server of a slot that nobody has asked yet. Lettuce does so at the first
   * command, which it then rejects rather than keeps: it was not sent, so it may be sent again.
   */
  private CompletionStage<?> reach(byte[] key) {
    var current = connection;
    var server = client.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
    if (current == null || server == null) return CompletableFuture.failedStage(problem);
    var uri = server.getUri();
    return current.getConnectionAsync(uri.getHost(), uri.getPort());
  }

  @Override
  public CompletionStage<Long> announce(byte[] key, byte[] instance, byte[] millis) {
    return whenReached(
        redis -> ScriptCalls.announce(redis, key, instance, millis), System.nanoTime());
  }

  @Override
  public CompletionStage<Long> forget(byte[] key) {
    return whenReached(redis -> redis.del(key), System.nanoTime())
        .thenCompose(gone -> whenReached(redis -> redis.publish(channel, key), System.nanoTime()));
  }

  @Override
  public CompletionStage<Long> announceReturn(byte[] key) {
    return whenReached(
        redis -> redis.publish(channel, ResetSubscriber.returned(key)), System.nanoTime());
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
    return whenReached(
        redis -> redis.set(key, value, SetArgs.Builder.px(millis)), System.nanoTime());
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    return whenReached(redis -> redis.get(key).thenApply(Optional::ofNullable), System.nanoTime());
  }

  @Override
  public CompletionStage<Long> publish(byte[] to, byte[] message) {
    return whenReached(redis -> redis.publish(to, message), System.nanoTime());
  }

  @Override
  public CompletionStage<Long> size() {
    return with(RedisAdvancedClusterAsyncCommands::dbsize);
  }

  /** For what may go to a server that nobody has asked yet: see {@link #reach}. */
  private <T> CompletionStage<T> whenReached(
      Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> action,
      long since) {
    return whenReached(action, new Patience(since, 1));
  }

  private <T> CompletionStage<T> whenReached(
      Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> action,
      Patience patience) {
    return with(action)
        .exceptionallyCompose(failure ->
            LettuceErrors.wasNotSent(failure) && !patience.isOver(patienceNanos)
                ? pause().thenCompose(over -> whenReached(action, patience.next()))
                : CompletableFuture.failedStage(failure));
  }

  private <T> CompletionStage<T> with(
      Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> action) {
    var current = connection;
    if (current == null) return CompletableFuture.failedStage(problem.unsent());
    CompletionStage<T> stage;
    try {
      stage = action.apply(current.async());
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedStage(e);
    }
    return stage.exceptionallyCompose(failure -> {
      var translated = LettuceErrors.translated(failure, server);
      if (translated.kind() == Kind.CONNECTION || LettuceErrors.isFromWrongServer(failure))
        reconnect();
      return CompletableFuture.failedStage(translated);
    });
  }

  @Override
  public int laneOf(String key) {
    return SlotHash.getSlot(RedisKeys.tag(key));
  }

  @Override
  public void close() {
    StatefulRedisClusterConnection<byte[], byte[]> last;
    CompletableFuture<?> refresh;
    synchronized (this) {
      closed = true;
      last = connection;
      connection = null;
      refresh = refreshing;
    }
    client.suspendTopologyRefresh();
    awaitRefreshes(refresh);
    if (last != null) last.close();
  }

  /** Lettuce forgets connections that it is about to make for this while it shuts down. */
  private void awaitRefreshes(CompletableFuture<?> own) {
    long end = System.nanoTime() + LONGEST_REFRESH_NANOS;
    while (!own.isDone() || client.isTopologyRefreshInProgress()) {
      if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) return;
      LockSupport.parkNanos(1_000_000);
    }
  }
}
