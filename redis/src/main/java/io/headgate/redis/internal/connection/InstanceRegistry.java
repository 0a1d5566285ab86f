package io.headgate.redis.internal.connection;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * How many instances share this Redis: those that have said so within the last ten seconds. Goes on
 * with the last number known while Redis is away, since that is when it is wanted.
 */
public final class InstanceRegistry {
  private static final Duration EVERY = Duration.ofSeconds(2);
  private static final Duration COUNTED = Duration.ofSeconds(10);

  private final RedisConnection link;
  private final byte[] key;
  private final byte[] name = bytes(UUID.randomUUID().toString());
  private final InstanceCount sharing = new InstanceCount(EVERY.multipliedBy(3), System.nanoTime());
  private volatile int count = 1;

  public InstanceRegistry(RedisConnection link, String prefix) {
    this.link = link;
    this.key = bytes(prefix + "instances");
  }

  public void start(ScheduledExecutorService timer) {
    var unused =
        timer.scheduleAtFixedRate(this::announce, 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void announce() {
    var unused =
        link.announce(key, name, bytes(Long.toString(COUNTED.toMillis())))
            .thenAccept(this::seen)
            .exceptionally(failure -> {
              sharing.failed(System.nanoTime());
              return null;
            });
  }

  private void seen(long instances) {
    count = Math.toIntExact(Math.max(1, instances));
    sharing.seen(count, System.nanoTime());
  }

  /** How many share a limit while Redis is unavailable; see {@link InstanceCount}. */
  public int sharing() {
    return sharing.count();
  }

  public int count() {
    return count;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
