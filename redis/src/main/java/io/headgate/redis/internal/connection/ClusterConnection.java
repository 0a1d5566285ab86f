package io.headgate.redis.internal.connection;

import io.headgate.internal.script.CounterKeys;
import io.headgate.redis.KeyLayout;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends commands to the primaries of a Redis Cluster. Lettuce maintains the connections and the
 * cluster topology. All keys of a batch are in one hash slot. Thread-safe.
 */
final class ClusterConnection
    extends LettuceConnection<StatefulRedisClusterConnection<byte[], byte[]>> {
  private static final long MIN_BACKOFF_MILLIS = 50;
  private static final long MAX_REFRESH_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long RETRY_PAUSE_MILLIS = 3;

  /** Attempts that are made regardless of time, since a stalled process may use it all up. */
  private static final int MIN_ATTEMPTS = 4;

  private static final long MIN_REFRESH_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final RedisClusterClient client;
  private final ScheduledExecutorService timer;
  private final long retryNanos;
  private final AtomicLong refreshedAt =
      new AtomicLong(System.nanoTime() - MIN_REFRESH_INTERVAL_NANOS);
  private CompletableFuture<?> ownRefresh =
      CompletableFuture.completedFuture(null); // guarded by this

  ClusterConnection(
      RedisClusterClient client,
      String server,
      byte[] resetChannel,
      KeyLayout layout,
      ScheduledExecutorService timer,
      Duration deadline) {
    super(server, resetChannel, layout, timer, MIN_BACKOFF_MILLIS);
    this.client = client;
    this.timer = timer;
    this.retryNanos = deadline.toNanos() / 2; // leaves the rest for the reply
  }

  @Override
  CompletionStage<StatefulRedisClusterConnection<byte[], byte[]>> open() {
    return client
        .refreshPartitionsAsync()
        .thenCompose(refreshed -> client.connectAsync(ByteArrayCodec.INSTANCE));
  }

  @Override
  RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands(
      StatefulRedisClusterConnection<byte[], byte[]> established) {
    return established.async();
  }

  @Override
  boolean requiresReconnect(Throwable failure, StoreException translated) {
    return translated.kind() == Kind.CONNECTION || LettuceErrors.requiresReconnect(failure);
  }

  /**
   * Refreshes the cluster topology in the background, which closes the connections to nodes that
   * have left. A refresh queries every node, so calls within 500 ms of the last one do nothing.
   */
  @Override
  void reconnect() {
    long last = refreshedAt.get();
    long now = System.nanoTime();
    if (now - last < MIN_REFRESH_INTERVAL_NANOS || !refreshedAt.compareAndSet(last, now)) return;
    synchronized (this) {
      if (isClosed()) return;
      ownRefresh =
          CompletableFuture.supplyAsync(client::refreshPartitionsAsync, timer)
              .thenCompose(refresh -> refresh);
    }
  }

  /** The start and the number of attempts of one command. */
  private record RetryState(long since, int attempts) {
    static RetryState first() {
      return new RetryState(System.nanoTime(), 1);
    }

    boolean isExhausted(long maxNanos) {
      return attempts >= MIN_ATTEMPTS && System.nanoTime() - since >= maxNanos;
    }

    RetryState next() {
      return new RetryState(since, attempts + 1);
    }
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    return decide(keys, argument, RetryState.first());
  }

  /** Retries only commands that were not sent, or that the server rejected unexecuted. */
  private CompletionStage<byte[]> decide(byte[][] keys, byte[] argument, RetryState retry) {
    return super.decide(keys, argument)
        .exceptionallyCompose(failure -> {
          if (LettuceErrors.wasNotSent(failure)) {
            return connectToOwner(keys[0]).thenCompose(connected -> super.decide(keys, argument));
          }
          if (LettuceErrors.isTryAgain(failure) && !retry.isExhausted(retryNanos)) {
            return pause().thenCompose(elapsed -> decide(keys, argument, retry.next()));
          }
          return CompletableFuture.failedStage(failure);
        });
  }

  @Override
  public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
    return super.reservations(keys, arguments)
        .exceptionallyCompose(failure ->
            LettuceErrors.wasNotSent(failure)
                ? connectToOwner(keys[0])
                    .thenCompose(connected -> super.reservations(keys, arguments))
                : CompletableFuture.failedStage(failure));
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
    var current = current();
    var owner = client.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
    if (current == null || owner == null) return CompletableFuture.failedStage(lastFailure());
    var uri = owner.getUri();
    return current.getConnectionAsync(uri.getHost(), uri.getPort());
  }

  /** Retries a command whose node may not be connected yet: see {@link #connectToOwner}. */
  @Override
  <T> CompletionStage<T> execute(Command<T> command) {
    return execute(command, RetryState.first());
  }

  private <T> CompletionStage<T> execute(Command<T> command, RetryState retry) {
    return send(command)
        .exceptionallyCompose(failure ->
            LettuceErrors.wasNotSent(failure) && !retry.isExhausted(retryNanos)
                ? pause().thenCompose(elapsed -> execute(command, retry.next()))
                : CompletableFuture.failedStage(failure));
  }

  @Override
  public int hashSlot(String key) {
    return SlotHash.getSlot(CounterKeys.tag(key));
  }

  @Override
  public void close() {
    StatefulRedisClusterConnection<byte[], byte[]> last;
    CompletableFuture<?> refresh;
    synchronized (this) {
      last = end();
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
