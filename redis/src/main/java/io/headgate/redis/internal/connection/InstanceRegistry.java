package io.headgate.redis.internal.connection;

import io.headgate.internal.script.InstanceCount;
import io.headgate.redis.KeyLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Counts the instances that share this Redis: those that sent a heartbeat in the last ten seconds.
 * Each heartbeat carries the layout of keys. While Redis is unavailable the last counts remain,
 * since they are needed then. Thread-safe.
 */
public final class InstanceRegistry {
  private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(2);
  private static final Duration EXPIRY = Duration.ofSeconds(10);

  private final RedisConnection connection;
  private final byte[] key;
  private final byte[] name;
  private final InstanceCount outageCount =
      new InstanceCount(HEARTBEAT_INTERVAL.multipliedBy(3), System.nanoTime());
  private volatile InstanceCounts counts;

  /**
   * Creates the registry of the instances that share the key prefix.
   *
   * @param layout that of this instance
   */
  public InstanceRegistry(RedisConnection connection, String prefix, KeyLayout layout) {
    this.connection = connection;
    this.key = key(prefix);
    this.name = bytes(UUID.randomUUID() + " " + layout.name().toLowerCase(Locale.ROOT));
    this.counts = new InstanceCounts(1, Map.of(layout, 1));
  }

  /** Counts the instances that share the key prefix, without a heartbeat. */
  static CompletionStage<InstanceCounts> read(RedisConnection connection, String prefix) {
    return connection.heartbeat(key(prefix), bytes(""), bytes(Long.toString(EXPIRY.toMillis())));
  }

  private static byte[] key(String prefix) {
    return bytes(prefix + "instances");
  }

  /** Starts to send heartbeats. */
  public void start(ScheduledExecutorService timer) {
    var unused =
        timer.scheduleAtFixedRate(
            this::sendHeartbeat, 0, HEARTBEAT_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void sendHeartbeat() {
    var unused =
        connection
            .heartbeat(key, name, bytes(Long.toString(EXPIRY.toMillis())))
            .thenAccept(this::onCounts)
            .exceptionally(failure -> {
              outageCount.heartbeatFailed(System.nanoTime());
              return null;
            });
  }

  private void onCounts(InstanceCounts latest) {
    counts = latest;
    outageCount.record(latest.instances(), System.nanoTime());
  }

  /** Returns the number of instances that divide limits in an outage; see {@link InstanceCount}. */
  public int outageCount() {
    return outageCount.count();
  }

  /** Returns the number of instances of the last heartbeat. */
  public int count() {
    return counts.instances();
  }

  /** Returns the number of instances of the last heartbeat with each layout of keys. */
  public Map<KeyLayout, Integer> layouts() {
    return counts.layouts();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
