package io.headgate.benchmarks;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.server.stats.StatsCollector;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

/**
 * The CPU time of the statistics, in nanoseconds per check.
 *
 * @param eventLoop of the event loop, which counts
 * @param merging of the thread that merges the counts of each second
 */
record StatisticsCost(Measurement eventLoop, Measurement merging) {
  static final int CHECKS = 400_000;
  private static final int SECONDS = 8; // as at 50,000 checks per second
  private static final int WARM_UPS = 3;

  private static final Rule RULE =
      Rule.named("users").match("user", "*").limit(new TokenBucket(Rate.perSecond(10), 10)).build();

  /** The callers of the checks. */
  enum CallerMix {
    ONE("one caller"),
    THOUSAND("1,000 callers"),
    DISTINCT("callers all different");

    final String title;

    CallerMix(String title) {
      this.title = title;
    }

    private IntUnaryOperator sequence() {
      var random = new Random(1);
      return switch (this) {
        case ONE -> check -> 0;
        case THOUSAND -> check -> random.nextInt(1_000);
        case DISTINCT -> check -> check;
      };
    }
  }

  /**
   * Measures in this JVM, on this thread.
   *
   * @param checks the number of checks of a run, a multiple of 8
   */
  static StatisticsCost measure(CallerMix callers, int runs, int checks) {
    var requests = requests(callers.sequence(), checks);
    var results = new CheckResult[checks];
    try (var limiter = RateLimiter.inMemory(RULE)) {
      for (int i = 0; i < checks; i++) results[i] = limiter.checkForResult(requests[i]);
    }
    var threads = ManagementFactory.getThreadMXBean();
    var clock = new AtomicLong(1_789_300_800_000L);
    var stats = new StatsCollector(StatsCollector.DEFAULT_CALLER_NAMES, clock::get, () -> false);
    var counter = stats.newCounter();
    var eventLoop = new double[runs];
    var merging = new double[runs];
    for (int run = -WARM_UPS; run < runs; run++) {
      long counted = 0;
      long merged = 0;
      for (int from = 0; from < checks; from += checks / SECONDS) {
        long begin = threads.getCurrentThreadCpuTime();
        for (int i = from; i < from + checks / SECONDS; i++) {
          counter.decided(requests[i], results[i], 900);
        }
        clock.addAndGet(1_000);
        counter.tick();
        long middle = threads.getCurrentThreadCpuTime();
        stats.tick();
        counted += middle - begin;
        merged += threads.getCurrentThreadCpuTime() - middle;
      }
      if (run < 0) continue;
      eventLoop[run] = (double) counted / checks;
      merging[run] = (double) merged / checks;
    }
    return new StatisticsCost(Measurement.of(eventLoop), Measurement.of(merging));
  }

  /** Creates requests as they arrive: of new strings whose hash codes are not computed yet. */
  private static Request[] requests(IntUnaryOperator caller, int checks) {
    var requests = new Request[checks];
    for (int i = 0; i < checks; i++) {
      String user = String.format(Locale.ROOT, "user-%08d", caller.applyAsInt(i));
      requests[i] = Request.of(Subject.of(Map.of("user", user, "path", "/a")));
    }
    return requests;
  }
}
