package io.headgate.redis;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Ends waits at their deadline, a batch at a time, so that no request needs a timer of its own. */
final class Watch implements AutoCloseable {
  private final Duration deadline;
  private final Collection<Lane> lanes;
  private final ScheduledExecutorService thread;

  Watch(Duration deadline, Collection<Lane> lanes) {
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
    for (var lane : lanes) {
      if (!lane.isIdle()) lane.expire(now - deadline.toNanos(), late(deadline));
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
