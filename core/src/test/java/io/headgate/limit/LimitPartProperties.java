package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Parts of a limit, each with its own counter, admit together no more than the limit. */
class LimitPartProperties {
  private static List<Holdable> limits(long permits, long micros, long burst) {
    var rate = Rate.of(permits, Duration.of(micros, ChronoUnit.MICROS));
    return List.of(TokenBucket.of(rate).withBurst(burst), FixedWindow.of(rate));
  }

  @Property(tries = 300)
  void partsAdmitNoMoreThanTheWhole(
      @ForAll @LongRange(min = 1, max = 5_000) long permits,
      @ForAll @LongRange(min = 1_000, max = 3_600_000_000L) long micros,
      @ForAll @LongRange(min = 1, max = 5_000) long burst,
      @ForAll @IntRange(min = 1, max = 998) int first,
      @ForAll @IntRange(min = 0, max = 100) int cut) {
    int second = (1_000 - first) * cut / 100;
    for (var whole : limits(permits, micros, burst)) {
      long capacity = 0;
      for (int part : List.of(first, second, 1_000 - first - second)) {
        var limit = whole.partOf(part);
        if (limit == null) continue;
        assertThat(limit.window()).isGreaterThan(0);
        capacity += limit.capacity();
      }
      assertThat(capacity).isLessThanOrEqualTo(whole.capacity());
      assertThat(whole.partOf(1_000)).isEqualTo(whole);
      assertThat(whole.partOf(0)).isNull();
    }
  }

  /** In thousandths of 461 an hour, a burst of 3,359 would exceed 2^53 units. */
  @Example
  void partOfABucketWithALargeBurstIsRepresentable() {
    var part = new TokenBucket(Rate.perHour(461), 3_995).partOf(841);
    assertThat(part).isNotNull();
    assertThat(part.capacity()).isEqualTo(3_359);
    assertThat(part.rate().permits() * 3_600e6 / part.rate().periodMicros())
        .isCloseTo(461 * 0.841, within(0.001));
  }

  @Property(tries = 200)
  void partsOfABucketRefillNoFasterThanTheWhole(
      @ForAll @LongRange(min = 1, max = 5_000) long permits,
      @ForAll @LongRange(min = 1_000, max = 3_600_000_000L) long micros,
      @ForAll @IntRange(min = 1, max = 999) int permille) {
    var whole = TokenBucket.of(Rate.of(permits, Duration.of(micros, ChronoUnit.MICROS)));
    var parts = new ArrayList<TokenBucket>();
    var first = whole.partOf(permille);
    var second = whole.partOf(1_000 - permille);
    if (first != null) parts.add(first);
    if (second != null) parts.add(second);
    double perMicro = 0;
    for (var part : parts) perMicro += 1.0 * part.rate().permits() / part.rate().periodMicros();
    assertThat(perMicro).isLessThanOrEqualTo(1.0 * permits / micros * (1 + 1e-9));
  }
}
