package io.headgate.server.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Sorts requests by time within a look-ahead window, since access logs are written when requests
 * end. Requests whose time is exact to the second only are spread evenly over that second, since
 * they did not all arrive at its start. Not thread-safe.
 */
public final class ReorderBuffer {
  private static final long SECOND = 1_000_000;

  private record Buffered(Arrival arrival, long number) implements Comparable<Buffered> {
    @Override
    public int compareTo(Buffered other) {
      int byTime = Long.compare(arrival.micros(), other.arrival.micros());
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Buffered> buffered = new PriorityQueue<>();
  private final List<Arrival> sameSecond = new ArrayList<>();
  private final Consumer<Arrival> consumer;
  private final long lookAheadMicros;
  private final int maxBuffered;
  private final boolean spread;
  private long latest = Long.MIN_VALUE;
  private long released = Long.MIN_VALUE;
  private long number;
  private long late;
  private long overflowed;

  private ReorderBuffer(
      Consumer<Arrival> consumer, long lookAheadMicros, int maxBuffered, boolean spread) {
    this.consumer = consumer;
    this.lookAheadMicros = lookAheadMicros;
    this.maxBuffered = maxBuffered;
    this.spread = spread;
  }

  /**
   * Creates a buffer that sorts all requests, for input that fits into memory.
   *
   * @param spread whether to spread requests over their second
   */
  public static ReorderBuffer unbounded(Consumer<Arrival> consumer, boolean spread) {
    return new ReorderBuffer(consumer, Long.MAX_VALUE, Integer.MAX_VALUE, spread);
  }

  /**
   * Creates a buffer with bounded look-ahead.
   *
   * @param lookAheadMicros maximum look-ahead in microseconds
   * @param maxBuffered maximum number of buffered requests
   * @param spread whether to spread requests over their second
   */
  public static ReorderBuffer bounded(
      Consumer<Arrival> consumer, long lookAheadMicros, int maxBuffered, boolean spread) {
    return new ReorderBuffer(consumer, lookAheadMicros, maxBuffered, spread);
  }

  /** Adds a request, and passes on those that have left the look-ahead window. */
  public void add(Arrival arrival) {
    if (arrival.micros() < released) {
      passLate(arrival);
      return;
    }
    buffered.add(new Buffered(arrival, number++));
    latest = Math.max(latest, arrival.micros());
    while (!buffered.isEmpty()
        && (buffered.size() > maxBuffered
            || buffered.element().arrival.micros() <= latest - lookAheadMicros)) {
      release(buffered.remove().arrival);
    }
  }

  /** Passes on a late request at once, separately from the requests of the current second. */
  private void passLate(Arrival arrival) {
    if (arrival.micros() < latest - lookAheadMicros) late++;
    else overflowed++;
    consumer.accept(arrival.at(released));
  }

  private void release(Arrival arrival) {
    released = arrival.micros();
    if (!spread) {
      consumer.accept(arrival);
      return;
    }
    boolean same =
        arrival.coarse()
            && !sameSecond.isEmpty()
            && sameSecond.getFirst().micros() == arrival.micros()
            && sameSecond.size() < maxBuffered;
    if (!same) flushSecond();
    if (arrival.coarse()) sameSecond.add(arrival);
    else consumer.accept(arrival);
  }

  private void flushSecond() {
    int count = sameSecond.size();
    for (int i = 0; i < count; i++) {
      var arrival = sameSecond.get(i);
      consumer.accept(arrival.at(arrival.micros() + i * SECOND / count));
    }
    sameSecond.clear();
  }

  /**
   * Returns the number of requests that were out of order by more than the look-ahead. They are
   * passed on with the time of the latest request passed on before.
   */
  public long late() {
    return late;
  }

  /**
   * Returns the number of requests that were out of order within the look-ahead, but came too late
   * because the buffer was full.
   */
  public long overflowed() {
    return overflowed;
  }

  /** Passes on all remaining requests. Must be called at the end of the input. */
  public void finish() {
    while (!buffered.isEmpty()) release(buffered.remove().arrival);
    flushSecond();
  }
}
