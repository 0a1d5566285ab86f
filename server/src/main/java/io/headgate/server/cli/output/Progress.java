package io.headgate.server.cli.output;

import java.util.Locale;
import java.util.function.LongSupplier;

/** A progress bar on standard error; prints nothing without an interactive terminal. */
public final class Progress {
  private static final int WIDTH = 30;
  private static final long EVERY_NANOS = 100_000_000;

  private final CommandContext context;
  private final long total;
  private final LongSupplier lines;
  private long done;
  private long shownAt = System.nanoTime();
  private boolean shown;

  /**
   * Creates a progress bar.
   *
   * @param total the total size in bytes; 0 if unknown
   * @param lines supplies the number of lines read so far
   */
  public Progress(CommandContext context, long total, LongSupplier lines) {
    this.context = context;
    this.total = total;
    this.lines = lines;
  }

  /** Adds read bytes and updates the bar at most ten times a second. */
  public void read(int bytes) {
    done += bytes;
    if (context.terminal().isEmpty() || System.nanoTime() - shownAt < EVERY_NANOS) return;
    shownAt = System.nanoTime();
    shown = true;
    context.err().print("\r" + text());
    context.err().flush();
  }

  private String text() {
    String count = String.format(Locale.ROOT, "%,d lines", lines.getAsLong());
    if (total <= 0) return count;
    int full = (int) Math.min(WIDTH, done * WIDTH / total);
    return "[%s%s] %3d%%  %s"
        .formatted(
            "█".repeat(full), "░".repeat(WIDTH - full), Math.min(100, done * 100 / total), count);
  }

  /** Removes the bar. */
  public void clear() {
    if (!shown) return;
    context.err().print("\r" + " ".repeat(text().length() + 2) + "\r");
    context.err().flush();
  }
}
