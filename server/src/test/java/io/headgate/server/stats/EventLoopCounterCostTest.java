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
 * What the watch costs a check, for whoever wants to know: {@code mvn -pl server -am test
 * -Dtest=EventLoopCounterCostTest -Dheadgate.cost=true}. Prints nanoseconds; of several turns the
 * median.
 */
@EnabledIfSystemProperty(named = "headgate.cost", matches = "true")
class EventLoopCounterCostTest {
  private static final int CHECKS = 400_000;
  private static final int TURNS = 9;

  private static final Rule RULE =
      Rule.named("users").match("user", "*").limit(new TokenBucket(Rate.perSecond(10), 10)).build();

  @Test
  void measured() {
    var random = new Random(1);
    report("one caller", i -> 0);
    report("1,000 callers", i -> random.nextInt(1_000));
    report("nobody twice", i -> i);
  }

  private static void report(String text, IntUnaryOperator caller) {
    var requests = new Request[CHECKS];
    var results = new CheckResult[CHECKS];
    try (var limiter = RateLimiter.inMemory(RULE)) {
      for (int i = 0; i < CHECKS; i++) {
        // As a request brings them: strings of its own, whose hashes nobody has computed yet.
        String user = "user-" + String.format("%08d", caller.applyAsInt(i));
        requests[i] = Request.of(Subject.of(Map.of("user", user, "path", "/a")));
        results[i] = limiter.checkForResult(requests[i]);
      }
    }
    var watch =
        new StatsCollector(StatsCollector.USUAL_NAMES, System::currentTimeMillis, () -> false);
    var observer = watch.observer();
    var path = new double[TURNS];
    var aside = new double[TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
      long spent = 0;
      long off = 0;
      for (int from = 0; from < CHECKS; from += CHECKS / 8) { // as if 50,000 came a second
        long begin = System.nanoTime();
        for (int i = from; i < from + CHECKS / 8; i++) {
          observer.decided(requests[i], results[i], 900);
        }
        long middle = System.nanoTime();
        observer.tick();
        watch.tick();
        spent += middle - begin;
        off += System.nanoTime() - middle;
      }
      path[turn] = (double) spent / CHECKS;
      aside[turn] = (double) off / CHECKS;
    }
    Arrays.sort(path);
    Arrays.sort(aside);
    System.out.printf(
        "%-14s %6.1f ns on the event loop, %6.1f ns aside, a check%n",
        text, path[TURNS / 2], aside[TURNS / 2]);
    assertThat(watch.figures().totals().asked()).isNotNegative();
  }
}
