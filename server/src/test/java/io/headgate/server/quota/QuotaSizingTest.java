package io.headgate.server.quota;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class QuotaSizingTest {
  private static final long SECOND = 1_000_000_000;

  @Property
  void assignmentIsBetweenOnePermitAndAnEqualPart(
      @ForAll @DoubleRange(min = 0, max = 1e12) double perSecond,
      @ForAll @LongRange(min = 0, max = 60 * SECOND) long interval,
      @ForAll @LongRange(min = 1, max = 1L << 53) long capacity,
      @ForAll @IntRange(min = 1, max = 100_000) int proxies) {
    long size = QuotaSizing.size(perSecond, interval, SECOND, capacity, proxies);
    assertThat(size).isBetween(1L, Math.max(1, capacity / proxies));
    assertThat(size).isLessThanOrEqualTo(QuotaSizing.MAX_PERMITS);
    assertThat(QuotaSizing.first(capacity, proxies)).isBetween(1L, Math.max(1, capacity / proxies));
  }

  @Property
  void assignmentLastsUntilTheNextOne(
      @ForAll @IntRange(min = 1, max = 1_000) int perSecond,
      @ForAll @LongRange(min = 1, max = 10 * SECOND) long interval) {
    long size = QuotaSizing.size(perSecond, interval, SECOND, 1L << 40, 1);
    double needed = perSecond * (Math.max(interval, SECOND) / 1e9);
    assertThat((double) size).isGreaterThanOrEqualTo(needed);
    assertThat(QuotaSizing.isDue(size, size)).isFalse();
    assertThat(QuotaSizing.isDue(0, size)).isTrue();
  }
}
