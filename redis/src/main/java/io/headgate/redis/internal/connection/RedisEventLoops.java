package io.headgate.redis.internal.connection;

import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The event loops that read from the connections to Redis.
 *
 * <p>Thread-safe. There are as many as the client has I/O threads, however many connections come
 * and go.
 */
final class RedisEventLoops implements ReadBarrier {
  private record Monitored(EventLoop loop, AtomicBoolean measuring) {}

  private final List<Monitored> loops = new CopyOnWriteArrayList<>();

  /** Adds the loop of a new connection, if it is not known yet. */
  @SuppressWarnings("ReferenceEquality")
  synchronized void add(EventLoop loop) {
    for (var known : loops) {
      if (known.loop == loop) return;
    }
    loops.add(new Monitored(loop, new AtomicBoolean()));
  }

  /**
   * {@inheritDoc}
   *
   * <p>A loop selects and reads, then runs its tasks, then the next round begins. A task alone may
   * run in a round that began long ago; what it schedules runs in the next one, after the reads.
   */
  @Override
  public void afterReads(Runnable action) {
    var left = new AtomicInteger(loops.size() + 1);
    Runnable one =
        () -> {
          if (left.decrementAndGet() == 0) action.run();
        };
    for (var each : loops) {
      execute(each.loop, () -> schedule(each.loop, one), one);
    }
    one.run();
  }

  private static void execute(EventLoop loop, Runnable task, Runnable ifClosed) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      ifClosed.run();
    }
  }

  private static void schedule(EventLoop loop, Runnable task) {
    try {
      var unused = loop.schedule(task, 1, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  @Override
  public void measure(StallMeter meter, LongSupplier nanos) {
    for (var each : loops) {
      if (!each.measuring.compareAndSet(false, true)) continue;
      long posted = nanos.getAsLong();
      execute(
          each.loop,
          () -> {
            each.measuring.set(false);
            meter.record(posted, nanos.getAsLong());
          },
          () -> each.measuring.set(false));
    }
  }
}
