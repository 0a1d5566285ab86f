package io.headgate.limit;

import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * One request of a random history, described relative to the limit instead of in numbers, so that a
 * history reaches the edge cases of any limit: window ends, retry times and remaining permits.
 */
record Move(When when, double far, int nudge, HowMuch howMuch, double part) {
  /** No history goes beyond the year 2200. */
  static final long LAST_MICROS = 7_258_118_400_000_000L;

  private static final double TEN_YEARS = Bounds.micros(Duration.ofDays(3_653));

  enum When {
    AT_ONCE,
    SOON,
    LATER,
    AT_RETRY,
    AT_RESET,
    AT_EDGE,
    AFTER_YEARS,
    BACK
  }

  enum HowMuch {
    NOTHING,
    ONE,
    SOME,
    THE_REST,
    MORE_THAN_THE_REST,
    ALL,
    TOO_MUCH
  }

  static Arbitrary<Move> arbitrary() {
    var when =
        Arbitraries.frequency(
            Tuple.of(4, When.AT_ONCE),
            Tuple.of(4, When.SOON),
            Tuple.of(2, When.LATER),
            Tuple.of(4, When.AT_RETRY),
            Tuple.of(2, When.AT_RESET),
            Tuple.of(3, When.AT_EDGE),
            Tuple.of(1, When.AFTER_YEARS),
            Tuple.of(2, When.BACK));
    var howMuch =
        Arbitraries.frequency(
            Tuple.of(1, HowMuch.NOTHING),
            Tuple.of(6, HowMuch.ONE),
            Tuple.of(4, HowMuch.SOME),
            Tuple.of(3, HowMuch.THE_REST),
            Tuple.of(2, HowMuch.MORE_THAN_THE_REST),
            Tuple.of(1, HowMuch.ALL),
            Tuple.of(1, HowMuch.TOO_MUCH));
    var part = Arbitraries.doubles().between(0, 1).ofScale(6);
    return Combinators.combine(when, part, Arbitraries.integers().between(-1, 1), howMuch, part)
        .as(Move::new);
  }

  boolean stepsBack() {
    return when == When.BACK;
  }

  Move withCostOne() {
    return new Move(when, far, nudge, HowMuch.ONE, part);
  }

  /** Returns the time of this request, given the outcome of the previous one at {@code now}. */
  long time(Limit limit, long now, Outcome last) {
    long window = limit.window();
    long time =
        switch (when) {
          case AT_ONCE -> now;
          case SOON -> now + (long) (far * 3 * window / limit.capacity());
          case LATER -> now + (long) (far * 3 * window);
          case AT_RETRY ->
              now + nudge + (last instanceof Refused refused ? refused.retryAfter() : 1);
          case AT_RESET -> now + nudge + last.resetAfter();
          case AT_EDGE -> (Math.floorDiv(now, edge(limit)) + 1) * edge(limit) + nudge;
          case AFTER_YEARS -> now + (long) (far * TEN_YEARS);
          case BACK -> now - (long) (far * 2 * window);
        };
    return Math.clamp(time, stepsBack() ? 0 : now, LAST_MICROS);
  }

  /**
   * Returns the cost of this request.
   *
   * @param left the permits left at its time
   */
  long cost(Limit limit, long left) {
    return switch (howMuch) {
      case NOTHING -> 0;
      case ONE -> 1;
      case SOME -> 1 + (long) (part * (limit.capacity() - 1));
      case THE_REST -> left;
      case MORE_THAN_THE_REST -> left + 1;
      case ALL -> limit.capacity();
      case TOO_MUCH -> limit.capacity() + 1 + (long) (part * 1_000_000_000_000L);
    };
  }

  private static long edge(Limit limit) {
    return limit instanceof SlidingWindow sliding
        ? sliding.window() / sliding.buckets()
        : limit.window();
  }
}
