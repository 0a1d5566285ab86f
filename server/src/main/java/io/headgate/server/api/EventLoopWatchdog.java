package io.headgate.server.api;

import io.vertx.core.Context;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices event loops that no longer run their tasks: their connections get no answers, though the
 * process is there. Posts a task to each every second, from a thread of its own, and counts those
 * that are not done. Counting instead of measuring makes no difference between a process that was
 * suspended and one that was not.
 */
public final class EventLoopWatchdog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoopWatchdog.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** So many tasks in a row may be waiting. */
  static final int PATIENCE = 10;

  private record Watched(Context loop, AtomicLong waiting) {}

  private final List<Watched> loops = new CopyOnWriteArrayList<>();
  private final Thread thread = new Thread(this::run, "event-loop-watchdog");

  public void start() {
    thread.setDaemon(true);
    thread.start();
  }

  public void watch(Context loop) {
    loops.add(new Watched(loop, new AtomicLong()));
  }

  /** How many event loops do not run their tasks. */
  public int stuck() {
    int stuck = 0;
    for (var loop : loops) if (loop.waiting.get() > PATIENCE) stuck++;
    return stuck;
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(EVERY);
        look();
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  void look() {
    for (var loop : loops) {
      long waiting = loop.waiting.incrementAndGet();
      if (waiting == 1) post(loop);
      if (waiting == PATIENCE + 1) {
        LOG.error(
            "an event loop has run nothing for {} s; /health/live is 503 until it does", PATIENCE);
      }
    }
  }

  private static void post(Watched loop) {
    try {
      loop.loop.runOnContext(ran -> loop.waiting.set(0));
    } catch (RuntimeException ended) {
      LOG.debug("an event loop takes no more tasks", ended); // it stays at waiting
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
