package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.LeakyBucket.Queue;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** A limit is changed after a history of requests. */
@Domain(LimitArbitraries.class)
class ChangedLimitProperties {

  @Property(tries = 5_000)
  void utilizationIsAdoptedRoundedUpToTheNewLimitsResolution(
      @ForAll Limit before, @ForAll Limit after, @ForAll History history) {
    Assume.that(inProportion(before, after));
    var run = Run.after(before, history);
    long used = run.state().used(run.now());
    assertThat(after.adopt(run.state(), run.now()).used(run.now()))
        .isBetween(used, used + Math.ceilDiv(Utilization.ALL, steps(after)));
  }

  @Property
  void fullUtilizationLeavesNothingAndNoneLeavesAll(@ForAll Limit limit, @ForAll History history) {
    for (var turn : Run.of(limit, history.forward())) {
      long used = turn.step().state().used(turn.now());
      long remaining = turn.step().outcome().remaining();
      assertThat(used).isBetween(Utilization.NONE, Utilization.ALL);
      if (used == Utilization.NONE) assertThat(remaining).isEqualTo(limit.capacity());
      if (used == Utilization.ALL && !interpolates(limit)) {
        // Utilization rounds up, which may hide up to a step of a long window.
        long aMillionth =
            limit.window() < Utilization.ALL ? 0 : Math.ceilDiv(limit.capacity(), Utilization.ALL);
        assertThat(remaining).isLessThanOrEqualTo(perMicrosecond(limit) + aMillionth);
      }
    }
  }

  @Property(tries = 3_000)
  void adoptIsIdempotent(@ForAll Limit before, @ForAll Limit after, @ForAll History history) {
    var run = Run.after(before, history);
    assertThat(before.adopt(run.state(), run.now())).isSameAs(run.state());
    var adopted = after.adopt(run.state(), run.now());
    assertThat(after.adopt(adopted, run.now())).isSameAs(adopted);
  }

  /** A store may evict a state once it is fresh, so no limit may find anything in it. */
  @Property(tries = 3_000)
  void freshStateEqualsAnEvictedOne(
      @ForAll Limit before, @ForAll Limit after, @ForAll History history) {
    var run = Run.after(before, history);
    long later = Math.max(run.now(), run.state().freshAt());
    assertThat(after.step(run.state(), later, 1).outcome())
        .isEqualTo(after.step(State.FRESH, later, 1).outcome());
  }

  /**
   * If both limits have a coarse resolution, such as 3 and 4 permits, each change rounds up again.
   * If one has a fine resolution, as buckets do, the rounded number is preserved.
   */
  @Property(tries = 3_000)
  void alternatingLimitsGrantNothingAndRoundUpOnce(
      @ForAll Limit one, @ForAll Limit other, @ForAll History history) {
    Assume.that(inProportion(one, other) && inProportion(other, one));
    var run = Run.after(one, history);
    long now = run.now();
    long used = run.state().used(now);
    var once = one.adopt(other.adopt(run.state(), now), now);
    State often = once;
    for (int i = 0; i < 50; i++) often = one.adopt(other.adopt(often, now), now);
    assertThat(once.used(now)).isGreaterThanOrEqualTo(used);
    assertThat(often.used(now)).isGreaterThanOrEqualTo(once.used(now));
    if (steps(one) == steps(other) || Math.max(steps(one), steps(other)) >= Utilization.ALL) {
      assertThat(often.used(now)).isEqualTo(once.used(now));
    }
  }

  /** Each permit uses its fraction of one common capacity, whichever limit grants it. */
  @Property(tries = 3_000)
  void alternatingBetweenTwoLimitsAdmitsNoMoreThanOneCapacity(
      @ForAll Limit one, @ForAll Limit other, @ForAll History history) {
    Assume.that(inProportion(one, other) && inProportion(other, one));
    State state = State.FRESH;
    double used = 0;
    for (int i = 0; i < 100; i++) {
      var limit = i % 2 == 0 ? one : other;
      var step = limit.step(state, history.start(), 1);
      state = step.state();
      if (step.outcome() instanceof Passed) used += 1.0 / limit.capacity();
    }
    assertThat(used)
        .isLessThanOrEqualTo(1 + 100 * lostByAChange(one, other) + partOfARequest(one, other));
  }

  /**
   * Less than a millionth, and less than a microsecond for buckets of equal refill time (slack).
   */
  private static double lostByAChange(Limit one, Limit other) {
    return 1.0 / Utilization.ALL + (one.window() == other.window() ? 1.0 / one.window() : 0);
  }

  /** A queue with a maximum wait may have room for a fraction of a request beyond its capacity. */
  private static double partOfARequest(Limit... limits) {
    double part = 0;
    for (var limit : limits) {
      if (limit instanceof LeakyBucket(var rate, Queue.Wait wait)) part += 1.0 / limit.capacity();
    }
    return part;
  }

  @Property(tries = 5_000)
  void retryTimeIsExactUnderTheNewLimit(
      @ForAll Limit before, @ForAll Limit after, @ForAll History history) {
    var run = Run.after(before, history);
    for (long cost : new long[] {1, (after.capacity() + 1) / 2, after.capacity()}) {
      var step = after.step(run.state(), run.now(), cost);
      if (step.outcome() instanceof Refused refused) {
        long retry = run.now() + refused.retryAfter();
        assertThat(after.step(step.state(), retry - 1, cost).outcome()).isInstanceOf(Refused.class);
        assertThat(after.step(step.state(), retry, cost).outcome()).isInstanceOf(Passed.class);
      }
    }
  }

  @Property(tries = 3_000)
  void remainingUnderTheNewLimitCanBeTaken(
      @ForAll Limit before, @ForAll Limit after, @ForAll History history) {
    var run = Run.after(before, history);
    var look = after.step(run.state(), run.now(), 0);
    long remaining = look.outcome().remaining();
    assertThat(remaining).isBetween(0L, after.capacity());
    assertThat(after.step(run.state(), run.now(), remaining).outcome()).isInstanceOf(Passed.class);
    assertThat(after.step(run.state(), run.now(), remaining + 1).outcome())
        .isNotInstanceOf(Passed.class);
  }

  /** Logs and slots are counted rather than scaled. */
  private static boolean inProportion(Limit before, Limit after) {
    boolean facts = before instanceof RollingWindow && after instanceof RollingWindow;
    return !facts && !(after instanceof SlotLimit);
  }

  /** Returns the resolution of a limit: the number of steps from empty to full. */
  private static long steps(Limit limit) {
    return limit instanceof TokenBucket || limit instanceof LeakyBucket
        ? limit.window()
        : limit.capacity();
  }

  /** Returns the permits that a bucket may round up, since its resolution is a microsecond. */
  private static long perMicrosecond(Limit limit) {
    return switch (limit) {
      case TokenBucket bucket -> bucket.rate().permits() / bucket.rate().periodMicros();
      case LeakyBucket bucket -> bucket.rate().permits() / bucket.rate().periodMicros();
      case FixedWindow window -> 0;
      case SlidingWindow window -> 0;
      case RollingWindow window -> 0;
      case SlotLimit slots -> 0;
      case FairShare fair -> 0;
      case Stateless stateless -> 0;
    };
  }

  /** An interpolating window counts a part of its oldest bucket, but reports it in full. */
  private static boolean interpolates(Limit limit) {
    return limit instanceof SlidingWindow sliding
        && sliding.bound() == SlidingWindow.Bound.INTERPOLATED;
  }
}
