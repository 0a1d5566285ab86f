package io.headgate.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.benchmarks.RecordedArrivals.Arrival;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A limiter and the traffic to replay against it. */
record Replayer(
    RedisStore store,
    Sent sent,
    RateLimiter limiter,
    List<Request> requests,
    List<Arrival> arrivals)
    implements AutoCloseable {
  /** Longer than the default of 50 ms, since a busy machine may pause for longer. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  static Replayer open(String uri, String name, AccuracyRun run, List<Arrival> arrivals) {
    var rule =
        Rule.named("tried")
            .match("key", "caller:*")
            .limit(run.limit())
            .consistency(run.consistency());
    var ready =
        Rule.named("ready").match("key", "ready").limit(TokenBucket.of(Rate.perSecond(1_000)));
    var sent = new Sent();
    var options =
        RedisOptions.builder(uri)
            .deadline(DEADLINE)
            .prefix(name + ":")
            .roundTripListener(sent)
            .build();
    var store = RedisStore.connect(options);
    var limiter = RateLimiter.with(store, RuleSet.of(rule.build(), ready.build()));
    var first = Request.of(Subject.of("ready"));
    Eventually.holds(
        "Headgate is connected",
        TIMEOUT,
        () -> limiter.checkForResult(first).source() == Source.STORE);
    var requests =
        IntStream.range(0, run.traffic().callers)
            .mapToObj(i -> Request.of(Subject.of("caller:" + i)))
            .toList();
    return new Replayer(store, sent, limiter, requests, arrivals);
  }

  /** Sends each request at its time, or at once if that has passed, without awaiting replies. */
  ReplayLog replay(RedisClock clock, long startByRedis) {
    var offset = clock.measure();
    long start = offset.nanos(startByRedis);
    var results = new Results(arrivals.size());
    long cpu = cpu();
    long commands = sent.commands();
    long calls = sent.calls();
    for (int i = 0; i < arrivals.size(); i++) {
      var arrival = arrivals.get(i);
      long due = start + arrival.at() * 1_000L;
      for (long now; (now = System.nanoTime()) - due < 0; ) LockSupport.parkNanos(due - now);
      results.check(i, requests.get(arrival.caller()), limiter);
    }
    results.await();
    commands = sent.commands() - commands;
    calls = sent.calls() - calls;
    cpu = cpu() - cpu;
    int uncertainty = offset.uncertainty(clock.measure());
    var entries = new ArrayList<ReplayLog.Entry>(arrivals.size());
    for (int i = 0; i < arrivals.size(); i++) {
      var arrival = arrivals.get(i);
      long requestedAt = results.requestedAt[i];
      long late = (requestedAt - start) / 1_000 - arrival.at();
      entries.add(
          new ReplayLog.Entry(
              arrival.caller(),
              offset.redis(requestedAt),
              results.repliedAt[i] - requestedAt,
              (int) Math.max(0, late),
              results.allowed[i]));
    }
    return new ReplayLog(uncertainty, cpu, commands, calls, results.fallbacks.get(), entries);
  }

  private static long cpu() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  @Override
  public void close() {
    limiter.close();
  }

  /** The result of each request, written by the thread that completes the reply. */
  private static final class Results {
    final long[] requestedAt;
    final long[] repliedAt;
    final boolean[] allowed;
    final AtomicInteger fallbacks = new AtomicInteger();
    private final AtomicInteger open;

    Results(int count) {
      requestedAt = new long[count];
      repliedAt = new long[count];
      allowed = new boolean[count];
      open = new AtomicInteger(count);
    }

    void check(int i, Request request, RateLimiter limiter) {
      requestedAt[i] = System.nanoTime();
      var reply = limiter.checkForResultAsync(request).toCompletableFuture();
      if (reply.isDone()) {
        record(i, reply.join());
      } else {
        var unused = reply.thenAccept(result -> record(i, result));
      }
    }

    private void record(int i, CheckResult result) {
      repliedAt[i] = System.nanoTime();
      allowed[i] = result.isAllowed();
      if (result.source() == Source.FALLBACK) fallbacks.incrementAndGet();
      open.decrementAndGet();
    }

    void await() {
      Eventually.holds("every request has a reply", TIMEOUT, () -> open.get() == 0);
    }
  }
}
