package io.headgate.docs;

import java.util.ArrayList;
import java.util.List;

/** Arrival times: four seconds with a trickle, a burst across a second boundary, and a flood. */
final class SampleArrivals {
  static final long SECOND = 1_000_000;
  static final long END = 4 * SECOND;

  /** Returns the arrival times in microseconds from the start, ascending. */
  static List<Long> arrivals() {
    var times = new ArrayList<Long>();
    for (long t = 50_000; t < 700_000; t += 160_000) times.add(t); // a trickle
    for (long t = 820_000; t < 1_180_000; t += 15_000) times.add(t); // a burst around 1 s
    for (long t = 2_000_000; t < END; t += 40_000) times.add(t); // a steady 25 a second
    return times;
  }

  private SampleArrivals() {}
}
