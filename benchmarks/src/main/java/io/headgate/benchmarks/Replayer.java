package io.headgate.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.benchmarks.Trace.Arrival;
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

/** A limiter of its own, and the traffic that comes to it. */
record Replayer(
    RedisStore store,
    Sent sent,
    RateLimiter limiter,
    List<Request> requests,
    List<Arrival> arrivals)
    implements AutoCloseable {
  /** A machine that does other things too may halt for longer than the usual 50 ms. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  static Replayer open(String uri, String name, Trial trial, List<Arrival> arrivals) {
    var rule =
        Rule.named("tried")
            .match("key", "caller:*")
            .limit(trial.limit())
            .consistency(trial.consistency());
    var ready =
        Rule.named("ready").match("key", "ready").limit(new TokenBucket(Rate.perSecond(1_000)));
    var sent = new Sent();
    var options =
        RedisOptions.of(uri).withDeadline(DEADLINE).withPrefix(name + ":").withCalls(sent);
    var store = RedisStore.connect(options);
    var limiter = RateLimiter.with(store, RuleSet.of(rule.build(), ready.build()));
    var first = Request.of(Subject.of("ready"));
    Eventually.holds(
        "Headgate is connected",
        PATIENCE,
        () -> limiter.checkForResult(first).source() == Source.STORE);
    var requests =
        IntStream.range(0, trial.traffic().callers)
            .mapToObj(i -> Request.of(Subject.of("caller:" + i)))
            .toList();
    return new Replayer(store, sent, limiter, requests, arrivals);
  }

  /** Each request at its time or, if that is past, at once; nobody waits for an answer. */
  ReplayLog replay(RedisClock clock, long startByRedis) {
    var offset = clock.measure();
    long start = offset.nanos(startByRedis);
    var answers = new Answers(arrivals.size());
    long cpu = cpu();
    long questions = sent.questions();
    long calls = sent.calls();
    for (int i = 0; i < arrivals.size(); i++) {
      var arrival = arrivals.get(i);
      long due = start + arrival.at() * 1_000L;
      for (long now; (now = System.nanoTime()) - due < 0; ) LockSupport.parkNanos(due - now);
      answers.ask(i, requests.get(arrival.caller()), limiter);
    }
    answers.await();
    questions = sent.questions() - questions;
    calls = sent.calls() - calls;
    cpu = cpu() - cpu;
    int uncertainty = offset.uncertainty(clock.measure());
    var entries = new ArrayList<ReplayLog.Entry>(arrivals.size());
    for (int i = 0; i < arrivals.size(); i++) {
      var arrival = arrivals.get(i);
      long asked = answers.asked[i];
      long late = (asked - start) / 1_000 - arrival.at();
      entries.add(
          new ReplayLog.Entry(
              arrival.caller(),
              offset.redis(asked),
              answers.answered[i] - asked,
              (int) Math.max(0, late),
              answers.allowed[i]));
    }
    return new ReplayLog(uncertainty, cpu, questions, calls, answers.fallbacks.get(), entries);
  }

  private static long cpu() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  @Override
  public void close() {
    limiter.close();
  }

  /** What came of each request; written by whatever thread brings the answer. */
  private static final class Answers {
    final long[] asked;
    final long[] answered;
    final boolean[] allowed;
    final AtomicInteger fallbacks = new AtomicInteger();
    private final AtomicInteger open;

    Answers(int count) {
      asked = new long[count];
      answered = new long[count];
      allowed = new boolean[count];
      open = new AtomicInteger(count);
    }

    void ask(int i, Request request, RateLimiter limiter) {
      asked[i] = System.nanoTime();
      var answer = limiter.checkForResultAsync(request).toCompletableFuture();
      if (answer.isDone()) {
        note(i, answer.join());
      } else {
        var unused = answer.thenAccept(result -> note(i, result));
      }
    }

    private void note(int i, CheckResult result) {
      answered[i] = System.nanoTime();
      allowed[i] = result.isAllowed();
      if (result.source() == Source.FALLBACK) fallbacks.incrementAndGet();
      open.decrementAndGet();
    }

    void await() {
      Eventually.holds("every request is answered", PATIENCE, () -> open.get() == 0);
    }
  }
}
