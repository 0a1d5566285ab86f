package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls of unknown cost under more load than the limit admits, in virtual time: each reserves four
 * times what it uses, and settles when it ends.
 */
class ReservationUtilizationTest {
  private static final long SECOND = 1_000_000;
  private static final long LIMIT = 100_000;
  private static final long MINUTES = 5;

  /** A worker that makes one call after the other; {@code reservation} is null between calls. */
  private static final class Worker {
    long wakesAt;
    long actual;
    @Nullable Reservation reservation;
  }

  /**
   * Limits, with the longest call in seconds, and the share of the limit that can be used.
   *
   * <p>In every minute of a sliding window, the permits that running calls hold and do not use
   * count beside those that were used. Calls that use u a minute, last d minutes on average and
   * reserve f times their usage hold (f − 1)·u·d unused permits, so that u·(1 + (f − 1)·d) is about
   * the limit. A bucket holds them in its burst.
   *
   * <p>A fixed window is full from its beginning: what has ended, E, and f times what runs, R, are
   * the limit. Calls end at the rate R/d, so that R falls as e^(−t/(f·d)) from the f-th part of the
   * limit. The unused part of what still runs at the end is lost.
   */
  static Stream<Arguments> limits() {
    return Stream.of(
        Arguments.of(TokenBucket.of(Rate.perMinute(LIMIT)), 1, 1.0),
        Arguments.of(TokenBucket.of(Rate.perMinute(LIMIT)), 10, 1.0),
        Arguments.of(TokenBucket.of(Rate.perMinute(LIMIT)), 30, 1.0),
        Arguments.of(FixedWindow.of(Rate.perMinute(LIMIT)), 1, 1.0),
        Arguments.of(FixedWindow.of(Rate.perMinute(LIMIT)), 10, fixedBound(10)),
        Arguments.of(FixedWindow.of(Rate.perMinute(LIMIT)), 30, fixedBound(30)),
        Arguments.of(SlidingWindow.of(Rate.perMinute(LIMIT)), 1, slidingBound(1)),
        Arguments.of(SlidingWindow.of(Rate.perMinute(LIMIT)), 10, slidingBound(10)));
  }

  private static double slidingBound(int seconds) {
    return 1 / (1 + 3 * meanOf(seconds));
  }

  private static double fixedBound(int seconds) {
    return 1 - 0.75 * Math.exp(-1 / (4 * meanOf(seconds)));
  }

  /** Returns the mean duration of a call, in minutes. */
  private static double meanOf(int seconds) {
    return (0.1 + seconds / 2.0) / 60;
  }

  @ParameterizedTest
  @MethodSource("limits")
  void limitIsUsedAlthoughEstimatesAreFourTimesTooHigh(Limit limit, int seconds, double bound) {
    var clock = new ManualTicker();
    var store = MemoryStore.create(clock, 1_000);
    var rule =
        Rule.named("tokens")
            .match("key", "*")
            .limit(RuleLimit.of("tokens", limit).withCost("tokens"))
            .build();
    try (var limiter = RateLimiter.with(store, RuleSet.of(rule), clock)) {
      var used = run(limiter, clock, seconds, new Random(42));
      // The first minute spends the burst of a bucket.
      long later = used.subList(1, used.size()).stream().mapToLong(Long::longValue).sum();
      double share = later / (double) (LIMIT * (MINUTES - 1));
      assertThat(share).isBetween(0.95 * bound, 1.05 * bound);
      long burst = limit instanceof TokenBucket ? LIMIT : 0;
      assertThat(used.getFirst() + later).isLessThanOrEqualTo(LIMIT * MINUTES + burst);
    }
  }

  /** Returns the usage that was settled in each minute. */
  private static List<Long> run(
      RateLimiter limiter, ManualTicker clock, long seconds, Random random) {
    var workers =
        new PriorityQueue<Worker>(Comparator.comparingLong((Worker worker) -> worker.wakesAt));
    long start = clock.micros();
    for (int i = 0; i < 100; i++) {
      var worker = new Worker();
      worker.wakesAt = start + random.nextLong(SECOND);
      workers.add(worker);
    }
    var used = new ArrayList<>(Collections.nCopies((int) MINUTES, 0L));
    while (true) {
      var worker = workers.remove();
      clock.sleep(Math.max(0, worker.wakesAt - clock.micros()));
      int minute = (int) ((clock.micros() - start) / (60 * SECOND));
      if (minute >= MINUTES) return used;
      if (worker.reservation != null) {
        worker.reservation.settle(Costs.of("tokens", worker.actual));
        used.set(minute, used.get(minute) + worker.actual);
        worker.reservation = null;
      }
      worker.actual = 200 + random.nextLong(400);
      var request = new Request(Subject.of("team"), 1, Map.of("tokens", 4 * worker.actual));
      var reservation = limiter.reserve(request);
      if (reservation.isAllowed()) {
        worker.reservation = reservation;
        worker.wakesAt = clock.micros() + SECOND / 10 + random.nextLong(seconds * SECOND);
      } else {
        worker.wakesAt = clock.micros() + 100_000 + random.nextLong(SECOND / 2);
      }
      workers.add(worker);
    }
  }
}
