package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.SlidingWindow.Bound;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A limit is changed while a caller uses it, from each algorithm to each. */
class ChangedLimitTest {
  private static final long NOW = 1_792_000_000_123_456L;

  private static final List<Limit> LIMITS =
      List.of(
          TokenBucket.of(Rate.perSecond(10)),
          TokenBucket.of(Rate.perSecond(999_983)),
          TokenBucket.of(Rate.of(3, Duration.ofSeconds(7))).withBurst(20),
          TokenBucket.of(Rate.perSecond(1)),
          LeakyBucket.of(Rate.perSecond(5)),
          LeakyBucket.of(Rate.perMinute(100)).withQueue(9),
          LeakyBucket.of(Rate.perSecond(3)).withMaxWait(Duration.ofMillis(500)), // room for 2.5
          FixedWindow.of(Rate.perMinute(10)),
          FixedWindow.of(1_000, new Window.Calendar(Window.Unit.DAY, ZoneId.of("Europe/Berlin"))),
          SlidingWindow.of(Rate.perMinute(100)),
          SlidingWindow.of(Rate.of(8, Duration.ofSeconds(10)))
              .withBuckets(5)
              .withBound(Bound.CONSERVATIVE),
          RollingWindow.of(Rate.perMinute(20)),
          RollingWindow.of(Rate.perHour(20)),
          RollingWindow.of(Rate.perMinute(6)).withMinInterval(Duration.ofSeconds(1)),
          Concurrency.of(4).withLease(Duration.ofSeconds(30)));

  static Stream<Arguments> changes() {
    return LIMITS.stream()
        .flatMap(before ->
            LIMITS.stream().map(after -> argumentSet(before + " to " + after, before, after)));
  }

  /** The changes in which the new limit adopts the utilization of the old one. */
  static Stream<Arguments> changesInProportion() {
    return changes()
        .filter(change -> inProportion((Limit) change.get()[0], (Limit) change.get()[1]));
  }

  private static boolean inProportion(Limit before, Limit after) {
    boolean facts = before instanceof RollingWindow && after instanceof RollingWindow;
    return !facts && !(after instanceof SlotLimit);
  }

  @ParameterizedTest
  @MethodSource("changesInProportion")
  void throttledCallerStaysThrottled(Limit before, Limit after) {
    var throttled = taken(before, before.capacity());
    assertThat(before.step(throttled, NOW, 1).outcome()).isNotInstanceOf(Passed.class);
    assertThat(after.step(throttled, NOW, 1).outcome()).isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @MethodSource("changesInProportion")
  void halfUsedLeavesHalf(Limit before, Limit after) {
    if (before.capacity() < 4 || after.capacity() < 4) return; // too small to halve
    var half = taken(before, before.capacity() / 2);
    // After the minimum interval, if there is one; nothing expires within it.
    long then =
        after instanceof RollingWindow rolling ? NOW + Bounds.micros(rolling.minInterval()) : NOW;
    var outcome = after.step(after.adopt(half, NOW), then, 0).outcome();
    long rest = after.capacity() - after.capacity() / 2;
    assertThat(outcome.remaining()).isBetween(rest - 2, rest);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void freshStateStaysFresh(Limit before, Limit after) {
    var spent = taken(before, before.capacity());
    long later = spent.freshAt();
    assertThat(after.step(spent, later, after.capacity()).outcome())
        .isEqualTo(after.step(State.FRESH, later, after.capacity()).outcome())
        .isInstanceOf(Passed.class);
  }

  @Test
  void rollingLogIsCountedAnewRatherThanScaled() {
    var twenty = taken(RollingWindow.of(Rate.perMinute(20)), 20);
    assertThat(left(RollingWindow.of(Rate.perMinute(30)), twenty, NOW)).isEqualTo(10);
    assertThat(left(RollingWindow.of(Rate.perMinute(20)), twenty, NOW)).isZero();
    assertThat(left(RollingWindow.of(Rate.perMinute(10)), twenty, NOW)).isZero();
  }

  @Test
  void shorterWindowDropsOlderLogEntries() {
    var perMinute = RollingWindow.of(Rate.perMinute(20));
    var twenty = taken(perMinute, 20);
    var read = RollingWindow.of(Rate.perSecond(20)).adopt(twenty, NOW + 1_000_000);
    assertThat(left(perMinute, twenty, NOW + 1_000_000)).isZero();
    assertThat(left(perMinute, read, NOW + 1_000_000)).isEqualTo(20);
  }

  @Test
  void slotsInFlightAreNotScaled() {
    var four = taken(Concurrency.of(4), 4);
    assertThat(left(Concurrency.of(6), four, NOW)).isEqualTo(2);
    assertThat(left(Concurrency.of(2), four, NOW)).isZero();
    assertThat(Concurrency.of(2).step(four, NOW, 1).outcome())
        .isEqualTo(new Refused(0, 30_000_000, 30_000_000));
  }

  @Test
  void spentBucketOccupiesNoSlots() {
    var spent = taken(TokenBucket.of(Rate.perSecond(10)), 10);
    assertThat(left(Concurrency.of(4), spent, NOW)).isEqualTo(4);
  }

  private static State taken(Limit limit, long cost) {
    var step = limit.step(State.FRESH, NOW, cost);
    assertThat(step.outcome()).isInstanceOf(Passed.class);
    return step.state();
  }

  private static long left(Limit limit, State state, long now) {
    return limit.step(state, now, 0).outcome().remaining();
  }
}
