package io.headgate.redis.internal.connection;

import io.headgate.internal.script.InstanceCount;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Counts the instances that share this Redis: those that sent a heartbeat in the last ten seconds.
 * While Redis is unavailable the last count remains, since it is needed then. Thread-safe.
 */
public final class InstanceRegistry {
  private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(2);
  private static final Duration EXPIRY = Duration.ofSeconds(10);

  private final RedisConnection connection;
  private final byte[] key;
  private final byte[] name = bytes(UUID.randomUUID().toString());
  private final InstanceCount outageCount =
      new InstanceCount(HEARTBEAT_INTERVAL.multipliedBy(3), System.nanoTime());
  private volatile int count = 1;

  /** Creates the registry of the instances that share the key prefix. */
  public InstanceRegistry(RedisConnection connection, String prefix) {
    this.connection = connection;
    this.key = bytes(prefix + "instances");
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
            .thenAccept(this::onCount)
            .exceptionally(failure -> {
              outageCount.heartbeatFailed(System.nanoTime());
              return null;
            });
  }

  private void onCount(long instances) {
    count = Math.toIntExact(Math.max(1, instances));
    outageCount.record(count, System.nanoTime());
  }

  /** Returns the number of instances that divide limits in an outage; see {@link InstanceCount}. */
  public int outageCount() {
    return outageCount.count();
  }

  /** Returns the number of instances of the last heartbeat. */
  public int count() {
    return count;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
