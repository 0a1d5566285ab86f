package io.headgate.benchmarks;

import io.headgate.benchmarks.RecordedArrivals.Arrival;
import io.headgate.limit.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Traffic patterns, each with the limit it is measured with. */
public enum TrafficPattern {
  STEADY("steady at the limit", 1_000, 1, 1),
  OVERLOAD("three times the limit", 1_000, 1, 1),
  BURSTS("bursts", 1_000, 1, 1),
  EDGES("at the windows' edges", 1_000, 1, 1),
  ABUSER("an abuser among 200", 50, 1, 201),
  ZIPF_SECOND("Zipf, 50 a second each", 50, 1, 1_000),
  ZIPF_MINUTE("Zipf, 1,000 a minute each", 1_000, 60, 1_000);

  private static final int SECOND = 1_000_000;
  private static final int EDGE = 50_000;
  private static final int REQUESTS_PER_EDGE = 2_400;
  private static final int BURST = 800;
  private static final int BURST_DURATION = 40_000;

  public final String title;
  private final long permits;
  private final long seconds;
  public final int callers;

  TrafficPattern(String title, long permits, long seconds, int callers) {
    this.title = title;
    this.permits = permits;
    this.seconds = seconds;
    this.callers = callers;
  }

  public Rate rate() {
    return Rate.of(permits, Duration.ofSeconds(seconds));
  }

  /** Returns a description of the traffic. */
  public String offered() {
    return switch (this) {
      case STEADY -> "one caller, 1,000 a second, evenly";
      case OVERLOAD -> "one caller, 3,000 a second, evenly";
      case BURSTS -> "one caller, 800 within 40 ms twice a second";
      case EDGES -> "one caller, 2,400 within 100 ms around each full second of Redis' clock";
      case ABUSER -> "one caller at 1,000 a second, 200 others at 5 a second each";
      case ZIPF_SECOND -> "1,000 callers by Zipf's law (exponent 1), 4,000 a second in all";
      case ZIPF_MINUTE -> "1,000 callers by Zipf's law (exponent 1), 15,000 a second in all";
    };
  }

  /**
   * Returns the duration of a run: longer for limits that are replenished slowly, and longer with
   * few instances.
   */
  Duration durationOf(int instances, Duration usual) {
    if (this != ZIPF_MINUTE) return usual;
    return usual.multipliedBy(instances <= 2 ? 4 : 2);
  }

  /** Generates the traffic; each request goes to a random instance, as with a load balancer. */
  public RecordedArrivals record(long seed, int instances, Duration time) {
    var random = new SplittableRandom(seed + name().hashCode());
    int end = Math.toIntExact(time.toMillis() * 1_000);
    var at = new ArrayList<Arrival>();
    switch (this) {
      case STEADY -> evenly(at, 1_000, end, 0);
      case OVERLOAD -> evenly(at, 3_000, end, 0);
      case BURSTS -> {
        for (int start = SECOND / 4; start + BURST_DURATION < end; start += SECOND / 2) {
          for (int i = 0; i < BURST; i++) {
            at.add(new Arrival(start + random.nextInt(BURST_DURATION), 0, 0));
          }
        }
      }
      case EDGES -> {
        for (int edge = 0; edge <= end; edge += SECOND) {
          for (int i = 0; i < REQUESTS_PER_EDGE; i++) {
            int arrival = edge - EDGE + random.nextInt(2 * EDGE);
            if (arrival >= 0 && arrival < end) at.add(new Arrival(arrival, 0, 0));
          }
        }
      }
      case ABUSER -> {
        evenly(at, 1_000, end, 0);
        for (int i = 0; i < 1_000L * end / SECOND; i++) {
          at.add(new Arrival(random.nextInt(end), 0, 1 + random.nextInt(callers - 1)));
        }
      }
      case ZIPF_SECOND -> zipf(at, 4_000, end, random);
      case ZIPF_MINUTE -> zipf(at, 15_000, end, random);
    }
    return new RecordedArrivals(
        at.stream()
            .map(one -> new Arrival(one.at(), random.nextInt(instances), one.caller()))
            .toList());
  }

  private static void evenly(List<Arrival> at, int perSecond, int end, int caller) {
    for (int i = 0; i < (long) perSecond * end / SECOND; i++) {
      at.add(new Arrival((int) ((long) i * SECOND / perSecond), 0, caller));
    }
  }

  private void zipf(List<Arrival> at, int perSecond, int end, SplittableRandom random) {
    int count = (int) ((long) perSecond * end / SECOND);
    for (int caller : new Zipf(callers).draw(count, random)) {
      at.add(new Arrival(random.nextInt(end), 0, caller));
    }
  }
}
