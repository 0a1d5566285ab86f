package io.headgate.limit;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.headgate.limit.SlidingWindow.Bound;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Invalid parameters are rejected with a message that names the value and a remedy. */
class ValidationTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration CENTURY = Duration.ofDays(36_525);
  private static final Rate TEN = Rate.perSecond(10);

  static Stream<Arguments> refused() {
    return Stream.of(
        row(() -> Rate.of(0, SECOND), "at least 1 permit", "got 0", "use limit: deny"),
        row(() -> Rate.of(-3, SECOND), "at least 1 permit", "got -3"),
        row(() -> Rate.of(1L << 52, SECOND), "at most 2^52 - 1", "got 4503599627370496"),
        row(() -> Rate.of(1, Duration.ZERO), "period", "positive", "got PT0S"),
        row(() -> Rate.of(1, Duration.ofSeconds(-1)), "period", "positive", "got PT-1S"),
        row(() -> Rate.of(1, Duration.ofNanos(1_500)), "whole microseconds", "got PT0.0000015S"),
        row(
            () -> Rate.of(1, CENTURY.plus(1, MICROS)),
            "period",
            "at most 100 years",
            "got PT876600H"),
        row(
            () -> Rate.of(1, Duration.ofSeconds(Long.MAX_VALUE)),
            "at most 100 years",
            "got PT25620"),
        row(() -> TokenBucket.of(TEN).withBurst(0), "burst", "got 0", "leave it out to allow 10"),
        row(() -> TokenBucket.of(TEN).withBurst(-1), "burst", "got -1"),
        row(
            () -> TokenBucket.of(TEN).withBurst(Long.MAX_VALUE),
            "burst 9223372036854775807",
            "10 per PT1S",
            "2^53",
            "lower the burst"),
        row(
            () -> new TokenBucket(Rate.of(999_983, CENTURY), 1_000),
            "burst 1000",
            "999983 per PT876600H",
            "rounder rate"),
        row(
            () -> TokenBucket.of(Rate.perDay(1)).withBurst(36_526),
            "burst 36526",
            "1 per PT24H",
            "100 years",
            "lower the burst"),
        row(
            () -> LeakyBucket.of(TEN).withQueue(0),
            "queue",
            "at least 1",
            "got 0",
            "use mode reject"),
        row(
            () -> LeakyBucket.of(TEN).withQueue(Long.MAX_VALUE),
            "9223372036854775807",
            "10 per PT1S",
            "shorten the queue"),
        row(
            () -> LeakyBucket.of(TEN).withQueue(Bounds.MAX / 100_000),
            "10 per PT1S",
            "shorten the queue"),
        row(
            () -> LeakyBucket.of(Rate.perDay(1)).withQueue(36_525),
            "100 years",
            "shorten the queue"),
        row(() -> LeakyBucket.of(TEN).withMaxWait(Duration.ZERO), "the maximum wait", "got PT0S"),
        row(
            () -> LeakyBucket.of(TEN).withMaxWait(Duration.ofNanos(1)),
            "the maximum wait",
            "whole micro"),
        row(() -> FixedWindow.of(0, new Window.Epoch(SECOND)), "at least 1", "got 0"),
        row(() -> FixedWindow.of(1L << 52, new Window.Epoch(SECOND)), "2^52 - 1", "got 4503"),
        row(() -> new Window.Epoch(Duration.ZERO), "a window", "got PT0S"),
        row(() -> new Window.Epoch(CENTURY.plusDays(1)), "at most 100 years", "got PT876624H"),
        row(() -> sliding(TEN, 0), "buckets", "1 to 1000", "got 0"),
        row(() -> sliding(TEN, 1_001), "buckets", "1 to 1000", "got 1001"),
        row(() -> sliding(TEN, 7), "PT1S", "into 7 buckets", "set buckets to 8"),
        row(
            () -> sliding(Rate.of(5, Duration.of(1_009, MICROS)), 999),
            "999 buckets",
            "set buckets to 1"),
        row(
            () -> sliding(Rate.of(1_000_000, Duration.ofDays(365)), 1),
            "1000000 per PT8760H",
            "1 buckets",
            "use more buckets"),
        row(
            () -> RollingWindow.of(Rate.perDay(1_000_001)),
            "at most 1000000",
            "got 1000001",
            "use sliding-window"),
        row(
            () -> RollingWindow.of(TEN).withMinInterval(Duration.ofSeconds(-1)),
            "min-interval",
            "got PT-1S"),
        row(
            () -> RollingWindow.of(TEN).withMinInterval(Duration.ofNanos(1)),
            "min-interval",
            "got PT0.0000"),
        row(
            () -> RollingWindow.of(TEN).withMinInterval(Duration.ofSeconds(2)),
            "min-interval PT2S",
            "not be longer than the window, PT1S"),
        row(() -> Concurrency.of(0), "max", "1 to 100000", "got 0"),
        row(() -> Concurrency.of(100_001), "max", "1 to 100000", "got 100001"),
        row(() -> Concurrency.of(1).withLease(Duration.ZERO), "a lease", "got PT0S"),
        row(() -> AdaptiveConcurrency.between(0, 9), "min", "1 to max (9)", "got 0"),
        row(() -> AdaptiveConcurrency.between(10, 9), "min", "1 to max (9)", "got 10"),
        row(() -> AdaptiveConcurrency.between(1, 100_001), "max", "1 to 100000", "got 100001"),
        row(() -> AdaptiveConcurrency.between(2, 9).withInitial(1), "initial", "2 to 9", "got 1"),
        row(() -> AdaptiveConcurrency.between(2, 9).withInitial(10), "initial", "got 10"),
        row(
            () -> Concurrency.of(1).withLease(CENTURY.plusDays(1)),
            "a lease",
            "at most 100 years"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void invalidParametersAreRejectedWithAMessage(ThrowingCallable attempt, String[] words) {
    assertThatIllegalArgumentException()
        .isThrownBy(attempt)
        .satisfies(refusal -> assertThat(refusal.getMessage()).contains(words));
  }

  /** The bounds of all parameters are valid. */
  @Test
  void boundsAreInclusive() {
    assertThat(Rate.of(Bounds.MAX_PERMITS, CENTURY).permits()).isEqualTo(Bounds.MAX_PERMITS);
    assertThat(TokenBucket.of(Rate.perDay(1)).withBurst(36_525).window())
        .isEqualTo(Bounds.micros(CENTURY));
    assertThat(LeakyBucket.of(Rate.perDay(1)).withQueue(36_524).capacity()).isEqualTo(36_525);
    assertThat(FixedWindow.of(Bounds.MAX_PERMITS, new Window.Epoch(CENTURY)).capacity())
        .isEqualTo(Bounds.MAX_PERMITS);
    assertThat(sliding(Rate.perDay(1_000_000), 1_000).window()).isEqualTo(86_400_000_000L);
    assertThat(RollingWindow.of(Rate.perDay(1_000_000)).capacity()).isEqualTo(1_000_000);
    assertThat(RollingWindow.of(TEN).withMinInterval(SECOND).minInterval()).isEqualTo(SECOND);
    assertThat(Concurrency.of(100_000).withLease(CENTURY).window())
        .isEqualTo(Bounds.micros(CENTURY));
  }

  @Test
  void suggestedNumberOfBucketsIsValid() {
    for (int micros = 1; micros <= 3_000; micros += 7) {
      for (int buckets : new int[] {2, 10, 60, 999, 1_000}) {
        if (micros % buckets == 0) continue;
        var rate = Rate.of(1, Duration.of(micros, MICROS));
        assertThatIllegalArgumentException()
            .isThrownBy(() -> sliding(rate, buckets))
            .satisfies(refusal -> sliding(rate, suggestion(refusal.getMessage())));
      }
    }
  }

  private static int suggestion(String message) {
    return Integer.parseInt(message.replaceFirst(".*; set buckets to (\\d+)", "$1"));
  }

  private static SlidingWindow sliding(Rate rate, int buckets) {
    return new SlidingWindow(rate, buckets, Bound.INTERPOLATED);
  }

  private static Arguments row(ThrowingCallable attempt, String... words) {
    return arguments(attempt, words);
  }
}
