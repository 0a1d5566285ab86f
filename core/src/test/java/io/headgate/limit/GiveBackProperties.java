package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

/**
 * A charge of which a part is given back leaves at least the debt of a counter that was charged the
 * rest in the first place, whatever else is charged in between.
 */
@Domain(LimitArbitraries.class)
@Domain(DomainContext.Global.class)
class GiveBackProperties {
  private static final long START = 1_792_000_000_123_456L;

  /** The states after a charge that was partly given back, and after the smaller charge. */
  private record Pair(State corrected, State oracle, long now, boolean unrefilled) {}

  /**
   * Charges both counters alike, except for the reservation.
   *
   * @param others costs that are charged in turn before and after it
   * @param pause the time between two charges, in parts of the limit's window
   */
  private static Pair run(
      Holdable limit, List<Integer> others, long reserved, long used, int pause) {
    long now = START;
    State corrected = State.FRESH;
    State oracle = State.FRESH;
    long at = 0;
    long freshAt = 0;
    for (int i = 0; i < others.size(); i++) {
      if (i == others.size() / 3) {
        corrected = limit.charged(corrected, now, reserved);
        oracle = limit.charged(oracle, now, used);
        at = now;
        freshAt = corrected.freshAt();
      }
      corrected = limit.charged(corrected, now, others.get(i));
      oracle = limit.charged(oracle, now, others.get(i));
      now += Math.max(1, limit.window() / pause);
    }
    long back = reserved - used;
    boolean unrefilled =
        limit instanceof TokenBucket bucket
            && (double) (freshAt - 1 - now) * bucket.bucket().rate().permitsInLowestTerms()
                >= (double) back * bucket.bucket().rate().periodInLowestTerms();
    corrected = GiveBack.of(limit, Share.NONE, corrected, now, back, at, freshAt);
    return new Pair(corrected, limit.adopt(oracle, now), now, unrefilled);
  }

  private static void assertNotBelow(Holdable limit, Pair pair) {
    long left = limit.step(pair.corrected, pair.now, 0).outcome().remaining();
    assertThat(left)
        .isLessThanOrEqualTo(limit.step(pair.oracle, pair.now, 0).outcome().remaining());
    assertThat(Math.max(pair.now, pair.corrected.freshAt()))
        .isGreaterThanOrEqualTo(Math.max(pair.now, pair.oracle.freshAt()));
  }

  /** The last microsecond of a debt repays less than a whole microsecond does. */
  @Example
  void fractionOfAMicrosecondIsNotReturnedTwice() {
    var limit = new TokenBucket(Rate.of(2, Duration.of(1, ChronoUnit.MICROS)), 20);
    State reserved = limit.charged(State.FRESH, START, 3);
    State used = limit.charged(State.FRESH, START, 1);
    long now = START + 1; // has refilled two of the three permits
    var corrected =
        GiveBack.of(
            limit, Share.NONE, limit.charged(reserved, now, 1), now, 2, START, reserved.freshAt());
    var oracle = limit.charged(used, now, 1);
    assertThat(limit.step(corrected, now, 0).outcome().remaining())
        .isLessThanOrEqualTo(limit.step(oracle, now, 0).outcome().remaining());
  }

  @Property(tries = 2_000)
  void bucketNeverOwesLessThanIfTheRealCostHadBeenCharged(
      @ForAll TokenBucket limit,
      @ForAll @Size(min = 3, max = 12) List<@IntRange(max = 30) Integer> others,
      @ForAll @LongRange(min = 1, max = 40) long reserved,
      @ForAll @LongRange(max = 40) long used,
      @ForAll @IntRange(min = 1, max = 200) int pause) {
    var pair = run(limit, others, reserved, Math.min(used, reserved), pause);
    assertNotBelow(limit, pair);
    if (pair.unrefilled) assertThat(pair.corrected).isEqualTo(pair.oracle);
  }

  @Property(tries = 2_000)
  void fixedWindowIsAsIfTheRealCostHadBeenCharged(
      @ForAll FixedWindow limit,
      @ForAll @Size(min = 3, max = 12) List<@IntRange(max = 30) Integer> others,
      @ForAll @LongRange(min = 1, max = 40) long reserved,
      @ForAll @LongRange(max = 40) long used,
      @ForAll @IntRange(min = 1, max = 200) int pause) {
    var pair = run(limit, others, reserved, Math.min(used, reserved), pause);
    assertThat(pair.corrected).isEqualTo(pair.oracle);
  }

  @Property(tries = 2_000)
  void slidingWindowIsAsIfTheRealCostHadBeenCharged(
      @ForAll SlidingWindow limit,
      @ForAll @Size(min = 3, max = 12) List<@IntRange(max = 30) Integer> others,
      @ForAll @LongRange(min = 1, max = 40) long reserved,
      @ForAll @LongRange(max = 40) long used,
      @ForAll @IntRange(min = 1, max = 200) int pause) {
    var pair = run(limit, others, reserved, Math.min(used, reserved), pause);
    assertThat(pair.corrected).isEqualTo(pair.oracle);
  }
}
