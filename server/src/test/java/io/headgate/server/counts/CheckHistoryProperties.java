package io.headgate.server.counts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Tests the rings against a list of all counts. */
class CheckHistoryProperties {
  private static final long START = 1_789_300_807L; // not the beginning of a bucket

  /**
   * Checks of one second.
   *
   * @param step seconds since the previous event; negative if it is late
   */
  record Event(long step, int allowed, int denied) {}

  @Provide
  Arbitrary<List<Event>> events() {
    var steps =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(20, Arbitraries.longs().between(0, 3)),
            net.jqwik.api.Tuple.of(4, Arbitraries.longs().between(-400, -1)), // late
            net.jqwik.api.Tuple.of(4, Arbitraries.longs().between(30, 4_000)), // suspended
            net.jqwik.api.Tuple.of(1, Arbitraries.longs().between(80_000, 200_000)));
    var counts = Arbitraries.integers().between(0, 50);
    return Combinators.combine(steps, counts, counts).as(Event::new).list().ofMaxSize(120);
  }

  /** Keeps every count. A count is ignored if its bucket has left the ring when it arrives. */
  private static final class Oracle {
    private record Counted(long bucket, Event event) {}

    private final Resolution resolution;
    private final List<Counted> all = new ArrayList<>();
    private long newest;

    Oracle(Resolution resolution) {
      this.resolution = resolution;
      this.newest = START / resolution.bucketSeconds();
    }

    void add(long second, Event event) {
      long bucket = Math.floorDiv(second, resolution.bucketSeconds());
      newest = Math.max(newest, bucket);
      if (newest - bucket < resolution.buckets()) all.add(new Counted(bucket, event));
    }

    CheckCounts at(long second) {
      long bucket = Math.floorDiv(second, resolution.bucketSeconds());
      long allowed = 0;
      long denied = 0;
      if (newest - bucket < resolution.buckets()) {
        for (var counted : all) {
          if (counted.bucket != bucket) continue;
          allowed += counted.event.allowed;
          denied += counted.event.denied;
        }
      }
      return new CheckCounts(allowed + denied, allowed, denied, 0, 0, 0, 0);
    }
  }

  private static OutcomeCounts outcomes(Event event) {
    var outcomes = new OutcomeCounts();
    outcomes.checks = event.allowed + (long) event.denied;
    outcomes.allowed = event.allowed;
    outcomes.denied = event.denied;
    return outcomes;
  }

  private static CheckSeries series(CheckHistory history, Resolution resolution, long last) {
    return resolution == Resolution.MINUTES ? history.day(last) : history.hour(last);
  }

  private static void assertEqual(CheckSeries series, Oracle oracle, long last) {
    var resolution = oracle.resolution;
    assertThat(series.buckets()).hasSize(resolution.buckets());
    assertThat(series.from() % resolution.bucketSeconds()).isZero();
    long end = series.from() + (long) resolution.buckets() * resolution.bucketSeconds();
    assertThat(last).isBetween(end - resolution.bucketSeconds(), end - 1);
    assertThat(series.newestSeconds())
        .isEqualTo((int) (last - (end - resolution.bucketSeconds()) + 1));
    for (int i = 0; i < resolution.buckets(); i++) {
      long second = series.from() + (long) i * resolution.bucketSeconds();
      assertThat(series.buckets().get(i)).isEqualTo(oracle.at(second));
    }
  }

  @Property(tries = 200)
  void everyBucketHasTheSumOfItsSeconds(@ForAll("events") List<Event> events) {
    var history = new CheckHistory(START);
    var seconds = new CheckRing(Resolution.SECONDS, START);
    var bySecond = new Oracle(Resolution.SECONDS);
    var hour = new Oracle(Resolution.TEN_SECONDS);
    var day = new Oracle(Resolution.MINUTES);
    long now = START;
    long last = START;
    for (var event : events) {
      now += event.step;
      last = Math.max(last, now);
      history.add(now, outcomes(event));
      seconds.add(now, outcomes(event));
      for (var oracle : List.of(bySecond, hour, day)) oracle.add(now, event);
    }
    assertEqual(seconds.series(last), bySecond, last);
    assertEqual(series(history, Resolution.TEN_SECONDS, last), hour, last);
    assertEqual(series(history, Resolution.MINUTES, last), day, last);
    assertThat(seconds.sum(last, Resolution.SECONDS.buckets()))
        .isEqualTo(seconds.series(last).sum());
  }

  @Property(tries = 100)
  void addedHistoryHasTheSumsOfBoth(
      @ForAll("events") List<Event> events, @ForAll("events") List<Event> others) {
    var both = new CheckHistory(START);
    var other = new CheckHistory(START);
    var day = new Oracle(Resolution.MINUTES);
    // Only counts that the later of the two still keeps: a merged ring has dropped the others.
    long last = START + 24 * 3_600;
    add(events, both, day, last);
    add(others, other, day, last);
    both.addAll(other);
    assertEqual(both.day(last), day, last);
  }

  private static void add(List<Event> events, CheckHistory history, Oracle oracle, long last) {
    long now = START + 3_600;
    for (var event : events) {
      now += event.step;
      if (now < START + 60 || now > last) continue;
      history.add(now, outcomes(event));
      oracle.add(now, event);
    }
  }

  @Test
  void memoryIsBoundedWhateverIsCounted() {
    var history = new CheckHistory(START);
    assertThat(history.bytes()).isZero();
    var outcomes = new OutcomeCounts();
    outcomes.checks = 1;
    outcomes.allowed = 1;
    history.add(START, outcomes);
    assertThat(history.bytes()).as("two counts").isEqualTo(2 * CheckHistory.MAX_BYTES / 7);
    outcomes.denied = 1;
    outcomes.shadowDenied = 1;
    outcomes.degraded = 1;
    outcomes.delayed = 1;
    outcomes.unmatched = 1;
    for (long second = START; second < START + 200_000; second += 7) history.add(second, outcomes);
    assertThat(history.bytes()).isEqualTo(CheckHistory.MAX_BYTES);
    assertThat(CheckHistory.MAX_BYTES).isEqualTo(50_400);
  }
}
