package io.headgate.redis.internal.connection;

import io.headgate.redis.RedisAddress;
import io.headgate.redis.RedisOptions;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lettuce, set up so that it never sends a command twice, nor keeps one for later. */
public final class LettuceClients implements AutoCloseable {
  private static final Duration HANDSHAKE = Duration.ofSeconds(1);

  private final RedisOptions options;
  private final byte[] channel;
  private final RedisEventLoops loops = new RedisEventLoops();
  private final ClientResources resources;
  private final ScheduledExecutorService timer;
  private @Nullable RedisClient direct;
  private @Nullable RedisClient listening;
  private @Nullable RedisClusterClient cluster;

  public LettuceClients(RedisOptions options) {
    this.options = options;
    this.channel = (options.prefix() + "forgotten").getBytes(StandardCharsets.UTF_8);
    this.resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(
                Delay.fullJitter(
                    Duration.ofMillis(20), Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS))
            .nettyCustomizer(
                new Wire(options.address().topology() == RedisAddress.Topology.CLUSTER, loops))
            .build();
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-redis-timer").factory());
  }

  public ScheduledExecutorService timer() {
    return timer;
  }

  /** The threads that read from the servers. */
  public ReadBarrier barrier() {
    return loops;
  }

  public byte[] channel() {
    return channel;
  }

  /** Opens the way to the servers, and waits for the first attempt: if it fails, others follow. */
  public RedisConnection link() {
    var address = options.address();
    var place = address.toString();
    if (address.topology() == RedisAddress.Topology.CLUSTER) {
      cluster = RedisClusterClient.create(resources, withTimeout(address.uris()));
      cluster.setOptions(clusterOptions());
      var link = new ClusterConnection(cluster, place, channel, timer, options.deadline());
      await(link.connect());
      return link;
    }
    direct = RedisClient.create(resources);
    direct.setOptions(common(ClientOptions.builder()).autoReconnect(false).build());
    var uri = withTimeout(address.uris()).getFirst();
    var link = new DirectConnection(direct, uri, place, channel, timer);
    await(link.connect());
    return link;
  }

  public CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> listen() {
    if (cluster != null)
      return cluster.connectPubSubAsync(ByteArrayCodec.INSTANCE).thenApply(c -> c);
    if (listening == null) {
      listening = RedisClient.create(resources);
      listening.setOptions(common(ClientOptions.builder()).build());
    }
    var uri = withTimeout(options.address().uris()).getFirst();
    return listening.connectPubSubAsync(ByteArrayCodec.INSTANCE, uri);
  }

  private ClusterClientOptions clusterOptions() {
    var refresh =
        ClusterTopologyRefreshOptions.builder()
            .enablePeriodicRefresh(Duration.ofSeconds(5))
            .adaptiveRefreshTriggersTimeout(Duration.ofMillis(250))
            .build();
    var builder = ClusterClientOptions.builder();
    common(builder);
    return builder.topologyRefreshOptions(refresh).validateClusterNodeMembership(false).build();
  }

  private ClientOptions.Builder common(ClientOptions.Builder builder) {
    builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(command -> true)
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .socketOptions(SocketOptions.builder().connectTimeout(HANDSHAKE).tcpNoDelay(true).build());
    options
        .ca()
        .ifPresent(ca ->
            builder.sslOptions(
                SslOptions.builder().jdkSslProvider().trustManager(ca.toFile()).build()));
    return builder;
  }

  private static List<RedisURI> withTimeout(List<RedisURI> uris) {
    for (var uri : uris) {
      uri.setTimeout(HANDSHAKE);
      uri.getSentinels().forEach(sentinel -> sentinel.setTimeout(HANDSHAKE));
    }
    return uris;
  }

  private static void await(CompletionStage<?> attempt) {
    var unused =
        attempt
            .exceptionally(failure -> null)
            .toCompletableFuture()
            .completeOnTimeout(null, HANDSHAKE.toMillis() * 2, TimeUnit.MILLISECONDS)
            .join();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    awaitTimer(); // an attempt to connect would find its threads gone
    if (direct != null) direct.shutdown(0, 1, TimeUnit.SECONDS);
    if (listening != null) listening.shutdown(0, 1, TimeUnit.SECONDS);
    if (cluster != null) cluster.shutdown(0, 1, TimeUnit.SECONDS);
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  private void awaitTimer() {
    try {
      timer.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * @param cluster whether there is a lane for each slot: then calls that are written at one moment
   *     leave in one packet, which is half of Lettuce's CPU. Where all go by one lane, its calls
   *     must not: what is asked on hearing one answer would wait until the next has been heard, and
   *     the server would have nothing to do meanwhile.
   */
  private record Wire(boolean cluster, RedisEventLoops loops) implements NettyCustomizer {
    @Override
    public void afterChannelInitialized(Channel channel) {
      loops.add(channel.eventLoop());
      if (cluster) channel.pipeline().addFirst(new FlushConsolidationHandler(256, true));
      channel.pipeline().addFirst(new ReplyTimeoutHandler());
    }
  }
}
