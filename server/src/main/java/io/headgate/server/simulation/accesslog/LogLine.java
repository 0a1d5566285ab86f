package io.headgate.server.simulation.accesslog;

import org.jspecify.annotations.Nullable;

/** The required fields of one line. Reused for each line. */
final class LogLine {
  final LogTime time = new LogTime();
  private final @Nullable String[] values;
  private final int[] ranks; // among aliases, the lowest rank takes precedence

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

  /** Sets a field. An empty value and {@code -} count as absent. */
  void put(int slot, @Nullable String value, int rank) {
    if (value == null || value.isEmpty() || value.equals("-") || rank >= ranks[slot]) return;
    values[slot] = value;
    ranks[slot] = rank;
  }

  @Nullable String value(int slot) {
    return values[slot];
  }
}
