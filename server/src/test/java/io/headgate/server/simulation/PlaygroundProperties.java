package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** Compares the simulation with a limiter that has one rule. */
class PlaygroundProperties {
  private static final long DURATION = 60_000;

  @Provide
  Arbitrary<Limit> limits() {
    var rate = Rate.of(7, Duration.ofSeconds(5));
    return Arbitraries.of(
        TokenBucket.of(rate).withBurst(9),
        LeakyBucket.of(rate).withQueue(4),
        LeakyBucket.of(rate),
        FixedWindow.of(rate),
        SlidingWindow.of(rate).withBuckets(5).withBound(SlidingWindow.Bound.CONSERVATIVE),
        RollingWindow.of(rate),
        Concurrency.of(3).withLease(Duration.ofSeconds(4)));
  }

  @Property(tries = 150)
  void decisionsMatchThoseOfALimiter(
      @ForAll("limits") Limit limit,
      @ForAll @Size(max = 200) List<@LongRange(max = 59_999_999) Long> times) {
    long[] arrivals = times.stream().mapToLong(Long::longValue).sorted().toArray();
    var result =
        new Playground(arrivals, DURATION, Deadline.NEVER).run(new Candidate("it", limit, false));
    var clock = new AtomicLong();
    var rules = RuleSet.of(Rule.named("it").limit(limit).build());
    var expected = new ArrayList<LimitResult.RequestDecision>();
    try (var limiter = RateLimiter.with(MemoryStore.create(clock::get, 10), rules, clock::get)) {
      for (long time : arrivals) {
        clock.set(time);
        expected.add(expected(time, limiter.check(Subject.of("x"))));
      }
    }
    assertThat(result.first()).isEqualTo(expected);
    long passed =
        expected.stream().filter(request -> request.decision() != SimulatedDecision.DENIED).count();
    assertThat(Arrays.stream(result.admitted()).sum() + Arrays.stream(result.delayed()).sum())
        .isEqualTo(passed);
    assertThat(passed + Arrays.stream(result.denied()).sum()).isEqualTo(arrivals.length);
  }

  private static LimitResult.RequestDecision expected(long time, Decision decision) {
    return switch (decision) {
      case Decision.Allowed allowed ->
          new LimitResult.RequestDecision(time, SimulatedDecision.ADMITTED, 0);
      case Decision.Delayed delayed ->
          new LimitResult.RequestDecision(
              time, SimulatedDecision.DELAYED, delayed.delay().toNanos() / 1_000);
      case Decision.Denied denied ->
          new LimitResult.RequestDecision(time, SimulatedDecision.DENIED, 0);
      case Decision.Impossible impossible ->
          new LimitResult.RequestDecision(time, SimulatedDecision.DENIED, 0);
    };
  }
}
