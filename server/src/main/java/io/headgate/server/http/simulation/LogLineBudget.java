package io.headgate.server.http.simulation;

import io.headgate.server.api.ProblemException;
import io.headgate.server.simulation.Arrival;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Counts the log lines that are buffered for sorting, and rejects a log that would exceed the
 * memory for them.
 */
final class LogLineBudget implements Consumer<Arrival> {
  static final int MAX_LINES = 200_000;

  /**
   * The total length of attribute values; a key made from a template may be much longer than its
   * line.
   */
  static final long MAX_CHARACTERS = 16L << 20;

  private static final String REMEDY =
      "send a part of it, or replay it with ./headgate simulate, which takes any size";

  private final Consumer<Arrival> next;
  private long lines;
  private long characters;

  LogLineBudget(Consumer<Arrival> next) {
    this.next = next;
  }

  @Override
  public void accept(Arrival arrival) {
    if (++lines > MAX_LINES) {
      throw tooLarge("has more than %,d lines; " + REMEDY, MAX_LINES);
    }
    for (var value : arrival.request().subject().attributes().values()) {
      characters += value.length();
    }
    if (characters > MAX_CHARACTERS) {
      throw tooLarge(
          "makes attributes of more than %,d characters in all; " + REMEDY, MAX_CHARACTERS);
    }
    next.accept(arrival);
  }

  private static ProblemException tooLarge(String flaw, long max) {
    return ProblemException.badInput("source.text", String.format(Locale.ROOT, flaw, max));
  }
}
