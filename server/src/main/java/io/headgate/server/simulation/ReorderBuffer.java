package io.headgate.server.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Puts requests into the order of their times, as far as it can look ahead: logs are written when
 * requests end. What is known to the second only is spread over that second evenly, since nobody
 * who sends ten requests in a second sends them all at its beginning.
 */
public final class ReorderBuffer {
  private static final long SECOND = 1_000_000;

  private record Held(Arrival arrival, long number) implements Comparable<Held> {
    @Override
    public int compareTo(Held other) {
      int byTime = Long.compare(arrival.micros(), other.arrival.micros());
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Held> held = new PriorityQueue<>();
  private final List<Arrival> sameSecond = new ArrayList<>();
  private final Consumer<Arrival> next;
  private final long ahead;
  private final int most;
  private final boolean spreads;
  private long latest = Long.MIN_VALUE;
  private long passedOn = Long.MIN_VALUE;
  private long number;
  private long late;
  private long crowded;

  private ReorderBuffer(Consumer<Arrival> next, long ahead, int most, boolean spreads) {
    this.next = next;
    this.ahead = ahead;
    this.most = most;
    this.spreads = spreads;
  }

  /** For what fits into memory as a whole. */
  public static ReorderBuffer whole(Consumer<Arrival> next, boolean spreads) {
    return new ReorderBuffer(next, Long.MAX_VALUE, Integer.MAX_VALUE, spreads);
  }

  /** For what does not: looks so many microseconds and so many requests ahead, and no further. */
  public static ReorderBuffer within(
      Consumer<Arrival> next, long ahead, int most, boolean spreads) {
    return new ReorderBuffer(next, ahead, most, spreads);
  }

  public void add(Arrival arrival) {
    if (arrival.micros() < passedOn) {
      passLate(arrival);
      return;
    }
    held.add(new Held(arrival, number++));
    latest = Math.max(latest, arrival.micros());
    while (!held.isEmpty()
        && (held.size() > most || held.element().arrival.micros() <= latest - ahead)) {
      release(held.remove().arrival);
    }
  }

  /** At once, and beside the others of a second: it must not part them. */
  private void passLate(Arrival arrival) {
    if (arrival.micros() < latest - ahead) late++;
    else crowded++;
    next.accept(arrival.at(passedOn));
  }

  private void release(Arrival arrival) {
    passedOn = arrival.micros();
    if (!spreads) {
      next.accept(arrival);
      return;
    }
    boolean same =
        arrival.coarse()
            && !sameSecond.isEmpty()
            && sameSecond.getFirst().micros() == arrival.micros()
            && sameSecond.size() < most;
    if (!same) spread();
    if (arrival.coarse()) sameSecond.add(arrival);
    else next.accept(arrival);
  }

  private void spread() {
    int count = sameSecond.size();
    for (int i = 0; i < count; i++) {
      var arrival = sameSecond.get(i);
      next.accept(arrival.at(arrival.micros() + i * SECOND / count));
    }
    sameSecond.clear();
  }

  /**
   * How many came after others had been passed on that were later, since they were out of order by
   * more than it looks ahead. They count as of then.
   */
  public long late() {
    return late;
  }

  /** How many did so although it looks ahead that far: there were more than it may hold. */
  public long crowded() {
    return crowded;
  }

  /** Passes on what is left. */
  public void finish() {
    while (!held.isEmpty()) release(held.remove().arrival);
    spread();
  }
}
