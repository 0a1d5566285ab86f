package io.headgate.server.simulation.accesslog;

import org.jspecify.annotations.Nullable;

/** What one line says, as far as somebody wants to know it. Used again for each line. */
final class LogLine {
  final LogTime time = new LogTime();
  private final @Nullable String[] values;
  private final int[] ranks; // of names for the same, an earlier one wins

  LogLine(int slots) {
    values = new String[slots];
    ranks = new int[slots];
  }

  void clear() {
    time.clear();
    for (int i = 0; i < values.length; i++) {
      values[i] = null;
      ranks[i] = Integer.MAX_VALUE;
    }
  }

  /** An empty value, or the dash that stands for none, is none. */
  void put(int slot, @Nullable String value, int rank) {
    if (value == null || value.isEmpty() || value.equals("-") || rank >= ranks[slot]) return;
    values[slot] = value;
    ranks[slot] = rank;
  }

  @Nullable String value(int slot) {
    return values[slot];
  }
}
