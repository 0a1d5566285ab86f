package io.headgate.redis.internal.connection;

import io.headgate.internal.script.ReadBarrier;
import io.headgate.internal.script.StallMeter;
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
 * <p>Thread-safe. Their number is bounded by the client's I/O threads, not by its connections.
 */
final class RedisEventLoops implements ReadBarrier {
  private record Monitored(EventLoop loop, AtomicBoolean measuring) {}

  private final List<Monitored> loops = new CopyOnWriteArrayList<>();

  /** Adds the loop of a new connection, unless it was added before. */
  @SuppressWarnings("ReferenceEquality")
  synchronized void add(EventLoop loop) {
    for (var existing : loops) {
      if (existing.loop == loop) return;
    }
    loops.add(new Monitored(loop, new AtomicBoolean()));
  }

  /**
   * {@inheritDoc}
   *
   * <p>In each iteration, a loop selects and reads, then runs its tasks. A submitted task may run
   * in an iteration whose reads are long past. A task that it schedules runs in the next iteration,
   * after the reads of that one.
   */
  @Override
  public void afterReads(Runnable action) {
    var pendingLoops = new AtomicInteger(loops.size() + 1);
    Runnable loopDone =
        () -> {
          if (pendingLoops.decrementAndGet() == 0) action.run();
        };
    for (var monitored : loops) {
      execute(monitored.loop, () -> schedule(monitored.loop, loopDone), loopDone);
    }
    loopDone.run();
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
    for (var monitored : loops) {
      if (!monitored.measuring.compareAndSet(false, true)) continue;
      long posted = nanos.getAsLong();
      execute(
          monitored.loop,
          () -> {
            monitored.measuring.set(false);
            meter.record(posted, nanos.getAsLong());
          },
          () -> monitored.measuring.set(false));
    }
  }
}
