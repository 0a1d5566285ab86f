package io.headgate.server.api;

import io.vertx.core.Context;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects event loops that no longer run their tasks, so that the connections of these loops get no
 * answers although the process is alive. A thread of its own posts a task to each event loop every
 * second and counts the ticks for which the task is not done. Ticks are counted instead of time, so
 * that a suspended process is not taken for a stuck one. Thread-safe.
 */
public final class EventLoopWatchdog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoopWatchdog.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** The number of ticks for which a task may be pending. */
  static final int MAX_PENDING_TICKS = 10;

  private record WatchedLoop(Context loop, AtomicLong pendingTicks) {}

  private final List<WatchedLoop> loops = new CopyOnWriteArrayList<>();
  private final Thread thread = new Thread(this::run, "event-loop-watchdog");

  /** Starts the thread that probes the event loops. */
  public void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /** Adds an event loop. */
  public void watch(Context loop) {
    loops.add(new WatchedLoop(loop, new AtomicLong()));
  }

  /** Returns the number of event loops that do not run their tasks. */
  public int stuckLoops() {
    int stuck = 0;
    for (var loop : loops) if (loop.pendingTicks.get() > MAX_PENDING_TICKS) stuck++;
    return stuck;
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(INTERVAL);
        probe();
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  /** Counts one tick of each event loop and posts a task to the idle ones. */
  void probe() {
    for (var loop : loops) {
      long pendingTicks = loop.pendingTicks.incrementAndGet();
      if (pendingTicks == 1) post(loop);
      if (pendingTicks == MAX_PENDING_TICKS + 1) {
        LOG.error(
            "an event loop has run no task for {} s; /health/live is 503 until it does",
            MAX_PENDING_TICKS);
      }
    }
  }

  private static void post(WatchedLoop loop) {
    try {
      loop.loop.runOnContext(ran -> loop.pendingTicks.set(0));
    } catch (RuntimeException ended) {
      LOG.debug("an event loop accepts no more tasks", ended); // it counts as stuck
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
