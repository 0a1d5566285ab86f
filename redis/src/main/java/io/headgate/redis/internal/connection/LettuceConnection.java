package io.headgate.redis.internal.connection;

import io.headgate.redis.KeyLayout;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection over Lettuce: connects with retries, executes commands, and translates failures.
 * Thread-safe.
 *
 * @param <C> Lettuce's connection, to one server or to a cluster
 */
abstract class LettuceConnection<C extends StatefulConnection<byte[], byte[]>>
    implements RedisConnection {
  private static final long MAX_BACKOFF_MILLIS = 1_000;

  /** A command of Redis that works on a single server and on a cluster. */
  interface Command<T> {
    CompletionStage<T> run(RedisClusterAsyncCommands<byte[], byte[]> redis);
  }

  private final String server;
  private final byte[] resetChannel;
  private final KeyLayout layout;
  private final ScheduledExecutorService timer;
  private final long minBackoffMillis;
  private volatile @Nullable C connection;
  private volatile StoreException lastFailure;
  private boolean connecting; // guarded by this
  private boolean closed; // guarded by this
  private long backoffMillis; // guarded by this

  /**
   * Creates a connection that is not yet established.
   *
   * @param server the address, for messages
   * @param minBackoffMillis the pause after the first failed attempt to connect
   */
  LettuceConnection(
      String server,
      byte[] resetChannel,
      KeyLayout layout,
      ScheduledExecutorService timer,
      long minBackoffMillis) {
    this.server = server;
    this.resetChannel = resetChannel;
    this.layout = layout;
    this.timer = timer;
    this.minBackoffMillis = minBackoffMillis;
    this.backoffMillis = minBackoffMillis;
    this.lastFailure = connectionFailure("not yet connected to Redis at " + server);
  }

  /** Makes one attempt to connect. */
  abstract CompletionStage<C> open();

  /** Returns the commands of an established connection. */
  abstract RedisClusterAsyncCommands<byte[], byte[]> commands(C established);

  /** Returns whether a failed command shows that the server or the topology has changed. */
  abstract boolean requiresReconnect(Throwable failure, StoreException translated);

  /** Connects again, or refreshes the topology, without waiting. */
  abstract void reconnect();

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

  private CompletionStage<C> attempt() {
    try {
      return open();
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void onConnected(C established) {
    boolean closedMeanwhile;
    synchronized (this) {
      connecting = false;
      backoffMillis = minBackoffMillis;
      closedMeanwhile = closed;
      if (!closedMeanwhile) connection = established;
    }
    if (closedMeanwhile) closeQuietly(established);
    else if (!established.isOpen()) onDisconnected(established); // before it was set here
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

  /** Connects again if this was the current connection. */
  void onDisconnected(C ended) {
    if (drop(ended, "Redis at " + server + " closed the connection")) {
      var unused = connect();
    }
  }

  /** Replaces the current connection by a new one; has no effect while there is none. */
  void replace() {
    var old = connection;
    if (old == null || !drop(old, "reconnecting to Redis at " + server)) return;
    closeQuietly(old);
    var unused = connect();
  }

  @SuppressWarnings("ReferenceEquality")
  private synchronized boolean drop(C ended, String reason) {
    if (connection != ended) return false;
    connection = null;
    lastFailure = connectionFailure(reason);
    return true;
  }

  private static StoreException connectionFailure(String message) {
    return new StoreException(Kind.CONNECTION, message, null);
  }

  private static void closeQuietly(StatefulConnection<?, ?> discarded) {
    var unused = discarded.closeAsync();
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    var all = layout == KeyLayout.COMPACT ? SharedKeys.with(keys) : keys;
    // A batch without shared keys is the same in both layouts, and the script of separate keys
    // takes less.
    var script = all.length > keys.length ? Script.COMPACT : Script.DECIDE;
    return send(redis -> ScriptCalls.decide(redis, script, all, argument));
  }

  @Override
  public CompletionStage<byte[]> decideAtHome(byte[][] keys, byte[] argument, byte[] lease) {
    return send(redis -> ScriptCalls.decideAtHome(redis, keys, argument, lease));
  }

  @Override
  public CompletionStage<List<Object>> regions(byte[] key, byte[]... arguments) {
    return execute(redis -> ScriptCalls.regions(redis, key, arguments));
  }

  @Override
  public CompletionStage<InstanceCounts> heartbeat(byte[] key, byte[] instance, byte[] millis) {
    return execute(redis -> ScriptCalls.heartbeat(redis, key, instance, millis));
  }

  @Override
  public CompletionStage<byte[]> signal(byte[] key, byte[]... arguments) {
    return execute(redis -> ScriptCalls.signal(redis, key, arguments));
  }

  @Override
  public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
    return send(redis -> ScriptCalls.reservations(redis, keys, arguments));
  }

  @Override
  public CompletionStage<Long> reset(byte[] key) {
    return execute(delete(key)).thenCompose(deleted -> publish(resetChannel, key));
  }

  private Command<Long> delete(byte[] key) {
    var shared = layout == KeyLayout.COMPACT ? SharedKeys.of(key) : null;
    if (shared == null) return redis -> redis.del(key);
    return redis -> ScriptCalls.resetShared(redis, new byte[][] {key, shared});
  }

  @Override
  public CompletionStage<Long> publishReturn(byte[] key) {
    return publish(resetChannel, ResetSubscriber.returnMessage(key));
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
    return execute(redis -> redis.set(key, value, SetArgs.Builder.px(millis)));
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    return execute(redis -> redis.get(key).thenApply(Optional::ofNullable));
  }

  @Override
  public CompletionStage<Long> publish(byte[] channel, byte[] message) {
    return execute(redis -> redis.publish(channel, message));
  }

  @Override
  public CompletionStage<Long> size() {
    return send(redis -> redis.dbsize());
  }

  /** Sends a command, again if it was certainly not sent and the connection supports that. */
  <T> CompletionStage<T> execute(Command<T> command) {
    return send(command);
  }

  /** Sends a command once. The stage fails with a {@link StoreException}. */
  final <T> CompletionStage<T> send(Command<T> command) {
    var current = connection;
    if (current == null) return CompletableFuture.failedStage(lastFailure.unsent());
    CompletionStage<T> reply;
    try {
      reply = command.run(commands(current));
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedStage(e);
    }
    return reply.exceptionallyCompose(failure -> {
      var translated = LettuceErrors.toStoreException(failure, server);
      if (requiresReconnect(failure, translated)) reconnect();
      return CompletableFuture.failedStage(translated);
    });
  }

  /** Returns the current connection; null if there is none. */
  final @Nullable C current() {
    return connection;
  }

  final StoreException lastFailure() {
    return lastFailure;
  }

  final synchronized boolean isClosed() {
    return closed;
  }

  /** Makes no more connections; returns the last one, which the caller closes. */
  final synchronized @Nullable C end() {
    var last = connection;
    closed = true;
    connection = null;
    return last;
  }

  @Override
  public void close() {
    var last = end();
    if (last != null) last.close();
  }
}
