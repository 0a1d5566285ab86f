package io.headgate.redis;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends waits at their deadline, a batch at a time, so that no request needs a timer of its own; and
 * gives up a connection on which nothing comes back any more.
 */
final class Watch implements AutoCloseable {
  /** A server that is merely stopped for a moment is not worth a new connection. */
  private static final long SILENT_NANOS = Duration.ofSeconds(1).toNanos();

  private final Link link;
  private final Duration deadline;
  private final Collection<Lane> lanes;
  private final ScheduledExecutorService thread;
  private long reconnectedAt = System.nanoTime();

  Watch(Link link, Duration deadline, Collection<Lane> lanes) {
    this.link = link;
    this.deadline = deadline;
    this.lanes = lanes;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-redis-watch").factory());
    long every = Math.max(1_000_000, deadline.toNanos() / 8);
    var unused = thread.scheduleAtFixedRate(this::look, every, every, TimeUnit.NANOSECONDS);
  }

  static StoreException late(Duration deadline) {
    return new StoreException(
        Kind.TIMEOUT, "Redis did not answer within %d ms".formatted(deadline.toMillis()), null);
  }

  private void look() {
    long now = System.nanoTime();
    long oldest = now;
    for (var lane : lanes) {
      if (lane.isIdle()) continue;
      lane.expire(now - deadline.toNanos(), late(deadline));
      oldest = Math.min(oldest, lane.oldest(now));
    }
    if (now - oldest > SILENT_NANOS && now - reconnectedAt > SILENT_NANOS) {
      reconnectedAt = now;
      link.reconnect();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
