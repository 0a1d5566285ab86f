package io.headgate.redis.internal.connection;

import io.headgate.internal.script.ReadBarrier;
import io.headgate.redis.RedisAddress;
import io.headgate.redis.RedisOptions;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Creates Lettuce clients that never resend a command and never queue one while disconnected. */
public final class LettuceClients implements AutoCloseable {
  private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(1);

  private final RedisOptions options;
  private final byte[] resetChannel;
  private final RedisEventLoops loops = new RedisEventLoops();
  private final ClientResources resources;
  private final ScheduledExecutorService timer;
  private @Nullable RedisClient directClient;
  private @Nullable RedisClient pubSubClient;
  private @Nullable RedisClusterClient clusterClient;

  /** Creates the clients without connecting them. */
  public LettuceClients(RedisOptions options) {
    this.options = options;
    this.resetChannel = (options.prefix() + "forgotten").getBytes(StandardCharsets.UTF_8);
    this.resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(
                Delay.fullJitter(
                    Duration.ofMillis(20), Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS))
            .nettyCustomizer(
                new PipelineCustomizer(
                    options.address().topology() == RedisAddress.Topology.CLUSTER, loops))
            .build();
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-redis-timer").factory());
  }

  /** Returns the thread that runs timeouts and retries. */
  public ScheduledExecutorService timer() {
    return timer;
  }

  /** Returns the barrier of the event loops that read replies. */
  public ReadBarrier barrier() {
    return loops;
  }

  /** Returns the Pub/Sub channel on which resets and returned permits are published. */
  public byte[] resetChannel() {
    return resetChannel;
  }

  /** Connects to the servers. Waits for the first attempt; if it fails, retries follow. */
  public RedisConnection connect() {
    var address = options.address();
    var server = address.toString();
    if (address.topology() == RedisAddress.Topology.CLUSTER) {
      clusterClient = RedisClusterClient.create(resources, serversOf(address));
      clusterClient.setOptions(clusterOptions());
      var connection =
          new ClusterConnection(
              clusterClient, server, resetChannel, options.layout(), timer, options.deadline());
      await(connection.connect());
      return connection;
    }
    directClient = RedisClient.create(resources);
    directClient.setOptions(applyCommon(ClientOptions.builder()).autoReconnect(false).build());
    var uri = serversOf(address).getFirst();
    var connection =
        new DirectConnection(directClient, uri, server, resetChannel, options.layout(), timer);
    await(connection.connect());
    return connection;
  }

  /** Opens a Pub/Sub connection; Lettuce reconnects it. */
  public CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub() {
    if (clusterClient != null)
      return clusterClient.connectPubSubAsync(ByteArrayCodec.INSTANCE).thenApply(c -> c);
    if (pubSubClient == null) {
      pubSubClient = RedisClient.create(resources);
      pubSubClient.setOptions(applyCommon(ClientOptions.builder()).build());
    }
    var uri = serversOf(options.address()).getFirst();
    return pubSubClient.connectPubSubAsync(ByteArrayCodec.INSTANCE, uri);
  }

  /**
   * Connects to every primary and returns its commands by its address. The connections are closed
   * with this object.
   *
   * @throws RedisException if a server can't be reached
   */
  Map<String, RedisCommands<byte[], byte[]>> primaries() {
    var address = options.address();
    var all = new LinkedHashMap<String, RedisCommands<byte[], byte[]>>();
    if (address.topology() != RedisAddress.Topology.CLUSTER) {
      directClient = RedisClient.create(resources);
      directClient.setOptions(applyCommon(ClientOptions.builder()).autoReconnect(false).build());
      var uri = serversOf(address).getFirst();
      all.put(address.toString(), directClient.connect(ByteArrayCodec.INSTANCE, uri).sync());
      return all;
    }
    clusterClient = RedisClusterClient.create(resources, serversOf(address));
    clusterClient.setOptions(clusterOptions());
    var connection = clusterClient.connect(ByteArrayCodec.INSTANCE);
    for (var node : connection.getPartitions()) {
      if (!node.is(NodeFlag.UPSTREAM) || node.getSlots().isEmpty()) continue;
      var uri = node.getUri();
      all.put(
          uri.getHost() + ":" + uri.getPort(),
          connection.getConnection(uri.getHost(), uri.getPort()).sync());
    }
    return all;
  }

  private ClusterClientOptions clusterOptions() {
    var refresh =
        ClusterTopologyRefreshOptions.builder()
            .enablePeriodicRefresh(Duration.ofSeconds(5))
            .adaptiveRefreshTriggersTimeout(Duration.ofMillis(250))
            .build();
    var builder = ClusterClientOptions.builder();
    applyCommon(builder);
    return builder.topologyRefreshOptions(refresh).validateClusterNodeMembership(false).build();
  }

  private ClientOptions.Builder applyCommon(ClientOptions.Builder builder) {
    builder
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .replayFilter(command -> true)
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .socketOptions(
            SocketOptions.builder().connectTimeout(HANDSHAKE_TIMEOUT).tcpNoDelay(true).build());
    options
        .ca()
        .ifPresent(ca ->
            builder.sslOptions(
                SslOptions.builder().jdkSslProvider().trustManager(ca.toFile()).build()));
    return builder;
  }

  private static List<RedisURI> serversOf(RedisAddress address) {
    var servers = address.uris().stream().map(RedisURI::create).toList();
    for (var server : servers) {
      server.setTimeout(HANDSHAKE_TIMEOUT);
      server.getSentinels().forEach(sentinel -> sentinel.setTimeout(HANDSHAKE_TIMEOUT));
    }
    return servers;
  }

  private static void await(CompletionStage<?> attempt) {
    var unused =
        attempt
            .exceptionally(failure -> null)
            .toCompletableFuture()
            .completeOnTimeout(null, HANDSHAKE_TIMEOUT.toMillis() * 2, TimeUnit.MILLISECONDS)
            .join();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    awaitTimer(); // or an attempt to connect would run on closed resources
    if (directClient != null) directClient.shutdown(0, 1, TimeUnit.SECONDS);
    if (pubSubClient != null) pubSubClient.shutdown(0, 1, TimeUnit.SECONDS);
    if (clusterClient != null) clusterClient.shutdown(0, 1, TimeUnit.SECONDS);
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
   * Configures the Netty pipeline of each connection.
   *
   * @param cluster whether flushes are consolidated, so that calls written at the same time leave
   *     in one packet. In a cluster, where each hash slot has its own {@code Batcher}, that halves
   *     Lettuce's CPU time. With a single batcher it must not be done: commands that follow from
   *     one reply would wait until the next reply has been read, with the server idle meanwhile.
   */
  private record PipelineCustomizer(boolean cluster, RedisEventLoops loops)
      implements NettyCustomizer {
    @Override
    public void afterChannelInitialized(Channel channel) {
      loops.add(channel.eventLoop());
      if (cluster) channel.pipeline().addFirst(new FlushConsolidationHandler(256, true));
      channel.pipeline().addFirst(new ReplyTimeoutHandler());
    }
  }
}
