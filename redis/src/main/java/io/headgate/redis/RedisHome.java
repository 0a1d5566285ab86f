package io.headgate.redis;

import io.headgate.internal.script.ReadBarrier;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.redis.internal.connection.HomeConnection;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.home.HomeRelay;
import io.headgate.store.Store;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/** The way to home by connections to its Redis. Thread-safe. */
final class RedisHome implements HomeLink, HomeRelay.Redis {
  private static final Duration REPORT_EXPIRY = Duration.ofMinutes(5);
  private static final int MAX_INSTANCES = 1_000;

  /** An empty batch: the server's clock, no plans, no limits. */
  private static final byte[] EMPTY_BATCH = {(byte) 0xdd, 0, 0, 0, 3, (byte) 0xff, 0, 0};

  private final String prefix;
  private final RedisStore store;
  private final LettuceClients clients;
  private final RedisConnection connection;
  private final HomeConnection guarded;
  private final byte[] reportKey;
  private final HomeRelay relay;

  /**
   * Connects to home.
   *
   * @param home has the prefix of home's keys
   * @param lease the longest lease of a share
   */
  RedisHome(RedisOptions home, Duration lease) {
    this.prefix = home.prefix();
    this.store = RedisStore.connect(home);
    this.clients = new LettuceClients(home);
    this.connection = clients.connect();
    this.guarded = new HomeConnection(connection, prefix, lease);
    this.reportKey = bytes(prefix + "regions");
    this.relay = new HomeRelay(this, prefix, lease, home.deadline());
  }

  @Override
  public ScriptConnection guarded() {
    return guarded;
  }

  @Override
  public ScriptConnection strict() {
    return connection;
  }

  @Override
  public String prefix() {
    return prefix;
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public CompletionStage<?> heartbeat() {
    return guarded.decide(new byte[0][], EMPTY_BATCH);
  }

  @Override
  public CompletionStage<List<byte[]>> report(String instance, byte[] report) {
    return report(bytes(instance), report);
  }

  @Override
  public CompletionStage<List<byte[]>> report(byte[] instance, byte[] report) {
    return connection
        .regions(
            reportKey,
            instance,
            report,
            bytes(Long.toString(REPORT_EXPIRY.toMillis())),
            bytes(Integer.toString(MAX_INSTANCES)))
        .thenApply(reply ->
            reply.stream().map(value -> value instanceof byte[] b ? b : new byte[0]).toList());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public ReadBarrier barrier() {
    return clients.barrier();
  }

  @Override
  public ScheduledExecutorService timer() {
    return clients.timer();
  }

  @Override
  public CompletionStage<byte[]> relay(byte[] call) {
    return relay.execute(call);
  }

  @Override
  public void close() {
    store.close();
    clients.close();
  }
}
