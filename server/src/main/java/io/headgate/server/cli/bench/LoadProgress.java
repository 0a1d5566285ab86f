package io.headgate.server.cli.bench;

import io.headgate.server.cli.output.CommandContext;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a load on standard error every second; prints nothing without an
 * interactive terminal.
 */
public final class LoadProgress implements AutoCloseable {
  private static final int WIDTH = 60;

  private final CommandContext context;
  private final LoadSettings settings;
  private final LongSupplier decided;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  /**
   * Creates a display.
   *
   * @param decided supplies the number of decisions so far
   */
  public LoadProgress(CommandContext context, LoadSettings settings, LongSupplier decided) {
    this.context = context;
    this.settings = settings;
    this.decided = decided;
    this.thread = Thread.ofVirtual().unstarted(this::run);
  }

  /** Starts the display. */
  public void start() {
    if (context.terminal().isPresent()) thread.start();
    else ended.countDown();
  }

  private void run() {
    long before = 0;
    try {
      for (long second = 1; !ended.await(1, TimeUnit.SECONDS); second++) {
        long now = decided.getAsLong();
        String line =
            String.format(
                Locale.ROOT,
                "%d of %d s: %,d decisions, %,d/s",
                second,
                settings.duration().toSeconds(),
                now,
                now - before);
        context.err().print("\r" + line + " ".repeat(Math.max(0, WIDTH - line.length())));
        context.err().flush();
        before = now;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    context.err().print("\r" + " ".repeat(WIDTH) + "\r");
    context.err().flush();
  }

  /** Removes the display. */
  @Override
  public void close() {
    ended.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
