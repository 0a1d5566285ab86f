package io.headgate.server.cli.output;

import java.util.Locale;
import java.util.function.LongSupplier;

/** How far something has come, on a line that is written over again; nothing without a terminal. */
public final class Progress {
  private static final int WIDTH = 30;
  private static final long EVERY_NANOS = 100_000_000;

  private final CommandContext around;
  private final long total;
  private final LongSupplier lines;
  private long done;
  private long shownAt = System.nanoTime();
  private boolean shown;

  /**
   * @param total in bytes; 0 if nobody knows
   */
  public Progress(CommandContext around, long total, LongSupplier lines) {
    this.around = around;
    this.total = total;
    this.lines = lines;
  }

  public void read(int bytes) {
    done += bytes;
    if (around.person().isEmpty() || System.nanoTime() - shownAt < EVERY_NANOS) return;
    shownAt = System.nanoTime();
    shown = true;
    around.err().print("\r" + text());
    around.err().flush();
  }

  private String text() {
    String count = String.format(Locale.ROOT, "%,d lines", lines.getAsLong());
    if (total <= 0) return count;
    int full = (int) Math.min(WIDTH, done * WIDTH / total);
    return "[%s%s] %3d%%  %s"
        .formatted(
            "█".repeat(full), "░".repeat(WIDTH - full), Math.min(100, done * 100 / total), count);
  }

  public void clear() {
    if (!shown) return;
    around.err().print("\r" + " ".repeat(text().length() + 2) + "\r");
    around.err().flush();
  }
}
