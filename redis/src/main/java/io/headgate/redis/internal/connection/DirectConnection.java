package io.headgate.redis.internal.connection;

import io.headgate.redis.KeyLayout;
import io.headgate.store.StoreException;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/**
 * One connection to one server: a standalone server, or the primary that Sentinel reports.
 *
 * <p>Lettuce's automatic reconnect is disabled because it resends commands that had no reply. A
 * charge could then be made twice, or after its caller was answered by a failure policy. Instead,
 * commands in flight fail when the connection is lost, and a new connection starts empty. One
 * connection serves all callers, since the server runs one script at a time and batches keep it
 * busy. Thread-safe.
 */
final class DirectConnection extends LettuceConnection<StatefulRedisConnection<byte[], byte[]>> {
  private static final long MIN_BACKOFF_MILLIS = 20;

  private final RedisClient client;
  private final RedisURI address;

  DirectConnection(
      RedisClient client,
      RedisURI address,
      String server,
      byte[] resetChannel,
      KeyLayout layout,
      ScheduledExecutorService timer) {
    super(server, resetChannel, layout, timer, MIN_BACKOFF_MILLIS);
    this.client = client;
    this.address = address;
  }

  @Override
  CompletionStage<StatefulRedisConnection<byte[], byte[]>> open() {
    return client
        .connectAsync(ByteArrayCodec.INSTANCE, address)
        .thenApply(established -> {
          established.addListener(
              new RedisConnectionStateAdapter() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> ended) {
                  onDisconnected(established);
                }
              });
          return established;
        });
  }

  @Override
  RedisAsyncCommands<byte[], byte[]> commands(StatefulRedisConnection<byte[], byte[]> established) {
    return established.async();
  }

  @Override
  boolean requiresReconnect(Throwable failure, StoreException translated) {
    return LettuceErrors.requiresReconnect(failure);
  }

  @Override
  void reconnect() {
    replace();
  }

  @Override
  public int hashSlot(String key) {
    return 0;
  }
}
