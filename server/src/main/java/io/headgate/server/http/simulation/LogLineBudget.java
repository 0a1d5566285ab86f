package io.headgate.server.http.simulation;

import io.headgate.server.api.ProblemException;
import io.headgate.server.simulation.Arrival;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Counts the lines of a log that are held to be put in order, and refuses more than the service can
 * spare the memory for.
 */
final class LogLineBudget implements Consumer<Arrival> {
  static final int MOST = 200_000;

  /** A key that is made of a text may be much longer than its line. */
  static final long MOST_CHARACTERS = 16L << 20;

  private static final String WAY_OUT =
      "send a part of it, or replay it with ./headgate simulate, which takes any size";

  private final Consumer<Arrival> next;
  private long lines;
  private long characters;

  LogLineBudget(Consumer<Arrival> next) {
    this.next = next;
  }

  @Override
  public void accept(Arrival arrival) {
    if (++lines > MOST) {
      throw refusal("has more than %,d lines; " + WAY_OUT, MOST);
    }
    for (var value : arrival.request().subject().attributes().values()) {
      characters += value.length();
    }
    if (characters > MOST_CHARACTERS) {
      throw refusal(
          "makes attributes of more than %,d characters in all; " + WAY_OUT, MOST_CHARACTERS);
    }
    next.accept(arrival);
  }

  private static ProblemException refusal(String flaw, long most) {
    return ProblemException.badInput("source.text", String.format(Locale.ROOT, flaw, most));
  }
}
