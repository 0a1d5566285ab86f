package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Clients with leases, and callers without, share one counter by a manual clock. */
class ClientLeaseProperties {
  private static final long PERMITS = 100;
  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final int STEPS = 300;
  private static final int CLIENTS = 4;

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void tokenBucketAdmitsAtMostBurstAndRateInAnySpan(@ForAll Random random) {
    var admitted = run(random, TokenBucket.of(Rate.of(PERMITS, WINDOW)));
    for (int from = 0; from < admitted.size(); from++) {
      for (int to = from; to < admitted.size(); to++) {
        long span = admitted.get(to) - admitted.get(from);
        assertThat((to - from + 1 - PERMITS) * micros(WINDOW)).isLessThanOrEqualTo(span * PERMITS);
      }
    }
  }

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void fixedWindowAdmitsAtMostItsPermits(@ForAll Random random) {
    var admitted = run(random, FixedWindow.of(Rate.of(PERMITS, WINDOW)));
    for (long time : admitted) {
      long window = time / micros(WINDOW);
      assertThat(admitted.stream().filter(t -> t / micros(WINDOW) == window).count())
          .isLessThanOrEqualTo(PERMITS);
    }
  }

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  void conservativeSlidingWindowAdmitsAtMostItsPermitsInAnyWindow(@ForAll Random random) {
    var limit = new SlidingWindow(Rate.of(PERMITS, WINDOW), 10, SlidingWindow.Bound.CONSERVATIVE);
    var admitted = run(random, limit);
    for (int to = 0; to + PERMITS < admitted.size(); to++) {
      assertThat(admitted.get(to + (int) PERMITS) - admitted.get(to)).isGreaterThan(0);
      assertThat(admitted.get(to + (int) PERMITS) - admitted.get(to))
          .isGreaterThanOrEqualTo(micros(WINDOW));
    }
  }

  /** Returns the times of all admitted checks. */
  private static List<Long> run(Random random, Limit limit) {
    var ticker = new ManualTicker();
    var rule =
        Rule.named("shared").match("key", "*").limit(limit).consistency(Consistency.LEASED).build();
    var admitted = new ArrayList<Long>();
    try (var limiter = Limiters.limiter(ticker, rule)) {
      var clients = new ArrayList<Client>();
      for (int i = 0; i < CLIENTS; i++) clients.add(new Client(limiter, ticker, random, admitted));
      for (int i = 0; i < STEPS; i++) {
        ticker.advance(Duration.ofNanos(random.nextInt(120) * 1_000_000L));
        clients.get(random.nextInt(CLIENTS)).step();
      }
    }
    return admitted;
  }

  private static long micros(Duration time) {
    return time.toNanos() / 1_000;
  }

  /** A client that keeps its obligations: it spends no longer than its lease, and reports all. */
  private static final class Client {
    private static final Request REQUEST = Request.of(Subject.of("a"));

    private final RateLimiter limiter;
    private final ManualTicker ticker;
    private final Random random;
    private final List<Long> admitted;
    private Optional<String> id = Optional.empty();
    private long left;
    private long used;
    private long expiresAt;

    Client(RateLimiter limiter, ManualTicker ticker, Random random, List<Long> admitted) {
      this.limiter = limiter;
      this.ticker = ticker;
      this.random = random;
      this.admitted = admitted;
    }

    void step() {
      if (ticker.micros() >= expiresAt) lose();
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> spend(random.nextInt(12));
        case 4, 5 -> check(random.nextInt(12));
        case 6, 7, 8 -> obtain();
        default -> {
          if (random.nextBoolean()) release();
          else lose(); // a killed client, or a reply that never arrives
        }
      }
    }

    private void spend(int count) {
      for (int i = 0; i < count && left > 0; i++, left--, used++) admitted.add(ticker.micros());
    }

    private void check(int count) {
      for (int i = 0; i < count; i++) {
        if (limiter.check(REQUEST).isAllowed()) admitted.add(ticker.micros());
      }
    }

    private void obtain() {
      long sentAt = ticker.micros();
      long wish = random.nextInt(20);
      var reply =
          id.isPresent()
              ? limiter.leases().renewAsync(id.get(), REQUEST, used, wish)
              : limiter.leases().acquireAsync(REQUEST, wish);
      lose();
      if (reply.toCompletableFuture().join() instanceof ClientLease.Granted lease) {
        id = Optional.of(lease.id());
        left = lease.checks();
        expiresAt = sentAt + micros(lease.ttl());
      }
    }

    private void release() {
      id.ifPresent(lease ->
          limiter.leases().releaseAsync(lease, REQUEST, used).toCompletableFuture().join());
      lose();
    }

    private void lose() {
      id = Optional.empty();
      left = 0;
      used = 0;
    }
  }
}
