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
 * Sends commands to the primaries of a Redis Cluster. Lettuce maintains the connections and the
 * cluster topology. All keys of a batch are in one hash slot. Thread-safe.
 */
public final class ClusterConnection implements RedisConnection {
  private static final long MIN_BACKOFF_MILLIS = 50;
  private static final long MAX_BACKOFF_MILLIS = 1_000;
  private static final long MAX_REFRESH_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long RETRY_PAUSE_MILLIS = 3;

  /** Attempts that are made regardless of time, since a stalled process may use it all up. */
  private static final int MIN_ATTEMPTS = 4;

  private static final long MIN_REFRESH_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final RedisClusterClient client;
  private final String server;
  private final byte[] resetChannel;
  private final ScheduledExecutorService timer;
  private final long retryNanos;
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;
  private volatile StoreException lastFailure;
  private final AtomicLong refreshedAt =
      new AtomicLong(System.nanoTime() - MIN_REFRESH_INTERVAL_NANOS);
  private CompletableFuture<?> ownRefresh =
      CompletableFuture.completedFuture(null); // guarded by this
  private long backoffMillis = MIN_BACKOFF_MILLIS; // guarded by this
  private boolean closed; // guarded by this

  ClusterConnection(
      RedisClusterClient client,
      String server,
      byte[] resetChannel,
      ScheduledExecutorService timer,
      Duration deadline) {
    this.client = client;
    this.server = server;
    this.resetChannel = resetChannel;
    this.timer = timer;
    this.retryNanos = deadline.toNanos() / 2; // leaves the rest for the reply
    this.lastFailure = new StoreException(Kind.CONNECTION, "not yet connected to " + server, null);
  }

  CompletionStage<?> connect() {
    synchronized (this) {
      if (closed) return CompletableFuture.completedStage(null);
    }
    return attempt()
        .handle((established, failure) -> {
          if (failure == null) onConnected(established);
          else onFailed(failure);
          return established;
        });
  }

  private CompletionStage<StatefulRedisClusterConnection<byte[], byte[]>> attempt() {
    try {
      return client
          .refreshPartitionsAsync()
          .thenCompose(refreshed -> client.connectAsync(ByteArrayCodec.INSTANCE));
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void onConnected(StatefulRedisClusterConnection<byte[], byte[]> established) {
    synchronized (this) {
      backoffMillis = MIN_BACKOFF_MILLIS;
      if (!closed) {
        connection = established;
        return;
      }
    }
    var unused = established.closeAsync();
  }

  private void onFailed(Throwable failure) {
    lastFailure = LettuceErrors.toStoreException(failure, server);
    synchronized (this) {
      if (closed) return;
      long pause = ThreadLocalRandom.current().nextLong(backoffMillis / 2, backoffMillis + 1);
      backoffMillis = Math.min(MAX_BACKOFF_MILLIS, backoffMillis * 2);
      var unused = timer.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Refreshes the cluster topology in the background, which closes the connections to nodes that
   * have left. A refresh queries every node, so calls within 500 ms of the last one do nothing.
   */
  public void reconnect() {
    long last = refreshedAt.get();
    long now = System.nanoTime();
    if (now - last < MIN_REFRESH_INTERVAL_NANOS || !refreshedAt.compareAndSet(last, now)) return;
    synchronized (this) {
      if (closed) return;
      ownRefresh =
          CompletableFuture.supplyAsync(client::refreshPartitionsAsync, timer)
              .thenCompose(refresh -> refresh);
    }
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    return decide(keys, argument, new RetryState(System.nanoTime(), 1));
  }

  /** The start and the number of attempts of one command. */
  private record RetryState(long since, int attempts) {
    boolean isExhausted(long maxNanos) {
      return attempts >= MIN_ATTEMPTS && System.nanoTime() - since >= maxNanos;
    }

    RetryState next() {
      return new RetryState(since, attempts + 1);
    }
  }

  /** Retries only commands that were not sent, or that the server rejected unexecuted. */
  private CompletionStage<byte[]> decide(byte[][] keys, byte[] argument, RetryState retry) {
    return send(keys, argument)
        .exceptionallyCompose(failure -> {
          if (LettuceErrors.wasNotSent(failure)) {
            return connectToOwner(keys[0]).thenCompose(connected -> send(keys, argument));
          }
          if (LettuceErrors.isTryAgain(failure) && !retry.isExhausted(retryNanos)) {
            return pause().thenCompose(elapsed -> decide(keys, argument, retry.next()));
          }
          return CompletableFuture.failedStage(failure);
        });
  }

  private CompletionStage<byte[]> send(byte[][] keys, byte[] argument) {
    return with(redis -> ScriptCalls.decide(redis, keys, argument));
  }

  private static CompletionStage<?> pause() {
    return new CompletableFuture<>()
        .completeOnTimeout(null, RETRY_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Connects to the primary of a slot that has had no command yet. Lettuce connects at the first
   * command and rejects that command instead of queueing it. It was not sent, so it may be retried.
   */
  private CompletionStage<?> connectToOwner(byte[] key) {
    var current = connection;
    var server = client.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
    if (current == null || server == null) return CompletableFuture.failedStage(lastFailure);
    var uri = server.getUri();
    return current.getConnectionAsync(uri.getHost(), uri.getPort());
  }

  @Override
  public CompletionStage<Long> heartbeat(byte[] key, byte[] instance, byte[] millis) {
    return withRetry(
        redis -> ScriptCalls.heartbeat(redis, key, instance, millis), System.nanoTime());
  }

  @Override
  public CompletionStage<Long> reset(byte[] key) {
    return withRetry(redis -> redis.del(key), System.nanoTime())
        .thenCompose(
            deleted -> withRetry(redis -> redis.publish(resetChannel, key), System.nanoTime()));
  }

  @Override
  public CompletionStage<Long> publishReturn(byte[] key) {
    return withRetry(
        redis -> redis.publish(resetChannel, ResetSubscriber.returnMessage(key)),
        System.nanoTime());
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
    return withRetry(redis -> redis.set(key, value, SetArgs.Builder.px(millis)), System.nanoTime());
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    return withRetry(redis -> redis.get(key).thenApply(Optional::ofNullable), System.nanoTime());
  }

  @Override
  public CompletionStage<Long> publish(byte[] channel, byte[] message) {
    return withRetry(redis -> redis.publish(channel, message), System.nanoTime());
  }

  @Override
  public CompletionStage<Long> size() {
    return with(RedisAdvancedClusterAsyncCommands::dbsize);
  }

  /** Runs a command whose node may not be connected yet: see {@link #connectToOwner}. */
  private <T> CompletionStage<T> withRetry(
      Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> action,
      long since) {
    return withRetry(action, new RetryState(since, 1));
  }

  private <T> CompletionStage<T> withRetry(
      Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> action,
      RetryState retry) {
    return with(action)
        .exceptionallyCompose(failure ->
            LettuceErrors.wasNotSent(failure) && !retry.isExhausted(retryNanos)
                ? pause().thenCompose(elapsed -> withRetry(action, retry.next()))
                : CompletableFuture.failedStage(failure));
  }

  private <T> CompletionStage<T> with(
      Function<RedisAdvancedClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> action) {
    var current = connection;
    if (current == null) return CompletableFuture.failedStage(lastFailure.unsent());
    CompletionStage<T> stage;
    try {
      stage = action.apply(current.async());
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedStage(e);
    }
    return stage.exceptionallyCompose(failure -> {
      var translated = LettuceErrors.toStoreException(failure, server);
      if (translated.kind() == Kind.CONNECTION || LettuceErrors.requiresReconnect(failure))
        reconnect();
      return CompletableFuture.failedStage(translated);
    });
  }

  @Override
  public int hashSlot(String key) {
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
      refresh = ownRefresh;
    }
    client.suspendTopologyRefresh();
    awaitRefreshes(refresh);
    if (last != null) last.close();
  }

  /** Waits for refreshes, since Lettuce leaks connections that a refresh opens during shutdown. */
  private void awaitRefreshes(CompletableFuture<?> ownRefresh) {
    long end = System.nanoTime() + MAX_REFRESH_WAIT_NANOS;
    while (!ownRefresh.isDone() || client.isTopologyRefreshInProgress()) {
      if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) return;
      LockSupport.parkNanos(1_000_000);
    }
  }
}
