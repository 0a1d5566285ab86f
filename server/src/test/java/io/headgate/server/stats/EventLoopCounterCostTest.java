package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures the cost of the statistics for a check: {@code mvn -pl server -am test
 * -Dtest=EventLoopCounterCostTest -Dheadgate.cost=true}. Prints nanoseconds, the median of several
 * runs.
 */
@EnabledIfSystemProperty(named = "headgate.cost", matches = "true")
class EventLoopCounterCostTest {
  private static final int CHECKS = 400_000;
  private static final int RUNS = 9;

  private static final Rule RULE =
      Rule.named("users").match("user", "*").limit(TokenBucket.of(Rate.perSecond(10))).build();

  @Test
  void costPerCheck() {
    var random = new Random(1);
    report("one caller", i -> 0);
    report("1,000 callers", i -> random.nextInt(1_000));
    report("all distinct", i -> i);
  }

  private static void report(String text, IntUnaryOperator caller) {
    var requests = new Request[CHECKS];
    var results = new CheckResult[CHECKS];
    try (var limiter = RateLimiter.inMemory(RULE)) {
      for (int i = 0; i < CHECKS; i++) {
        // As in a real request: new strings whose hash codes are not computed yet.
        String user = "user-" + String.format("%08d", caller.applyAsInt(i));
        requests[i] = Request.of(Subject.of(Map.of("user", user, "path", "/a")));
        results[i] = limiter.checkForResult(requests[i]);
      }
    }
    var stats =
        new StatsCollector(
            StatsCollector.DEFAULT_CALLER_NAMES, System::currentTimeMillis, () -> false);
    var counter = stats.newCounter();
    var eventLoop = new double[RUNS];
    var background = new double[RUNS];
    for (int run = 0; run < RUNS; run++) {
      long spent = 0;
      long inBackground = 0;
      for (int from = 0; from < CHECKS; from += CHECKS / 8) { // as at 50,000 checks per second
        long begin = System.nanoTime();
        for (int i = from; i < from + CHECKS / 8; i++) {
          counter.decided(requests[i], results[i], 900);
        }
        long middle = System.nanoTime();
        counter.tick();
        stats.tick();
        spent += middle - begin;
        inBackground += System.nanoTime() - middle;
      }
      eventLoop[run] = (double) spent / CHECKS;
      background[run] = (double) inBackground / CHECKS;
    }
    Arrays.sort(eventLoop);
    Arrays.sort(background);
    System.out.printf(
        "%-14s %6.1f ns on the event loop, %6.1f ns in the background, per check%n",
        text, eventLoop[RUNS / 2], background[RUNS / 2]);
    assertThat(stats.snapshot().totals().checks()).isNotNegative();
  }
}
