package io.headgate.redis;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Runs callers before, during and after a fault and collects the result. */
final class OutageRun {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration STEADY = Duration.ofMillis(300);

  /**
   * Two for I/O, two for computation, Lettuce's timer, the store's timer, the deadline sweeper, the
   * background sync.
   */
  private static final int MAX_THREADS = 8;

  private final RedisDeployment deployment;
  private final long decisionsPerPhase;

  /**
   * @param decisionsPerPhase the minimum number of decisions in a phase
   */
  OutageRun(RedisDeployment deployment, long decisionsPerPhase) {
    this.deployment = deployment;
    this.decisionsPerPhase = decisionsPerPhase;
  }

  OutageResult run(Fault fault) throws Exception {
    long connections = deployment.connections().size();
    var counters = new OutageCounters();
    OutageResult result;
    try (var store =
        RedisStore.connect(
            RedisOptions.builder(deployment.uri()).outageListener(counters).build())) {
      result = runPhases(fault, store, counters);
      Eventually.holds("no command is in flight", TIMEOUT, store::isIdle);
    }
    Eventually.holds(
        "no thread is left but " + Threads.ours(), TIMEOUT, () -> Threads.ours().isEmpty());
    deployment.awaitConnections(connections, TIMEOUT);
    return result;
  }

  private OutageResult runPhases(Fault fault, RedisStore store, OutageCounters counters)
      throws Exception {
    var limiter = RateLimiter.with(store, OutageRules.all());
    long start = System.nanoTime();
    try (var callers = new Callers(limiter)) {
      callers.await(decisionsPerPhase / 2);
      callers.awaitStore(STEADY);
      long connections = deployment.connections().size();
      var warmUp = callers.next();
      callers.await(decisionsPerPhase);

      var before = callers.next();
      long injectedAt = System.nanoTime();
      fault.inject().run();
      callers.await(decisionsPerPhase);
      awaitPolicies(callers.phase(), fault.severity());
      fault.repair().run();

      long repairedAt = System.nanoTime();
      var during = callers.next();
      long recoveredAt = callers.awaitStore(STEADY);
      fault.afterRecovery().run();
      callers.await(decisionsPerPhase);
      deployment.awaitConnections(deployment.maxConnections(connections), TIMEOUT);
      Eventually.holds(
          "the number of threads is bounded, and none probes",
          TIMEOUT,
          () -> Threads.ours().size() <= MAX_THREADS && !Threads.ours().contains("headgate-probe"));
      callers.stop();
      return new OutageResult(
          deployment,
          fault,
          warmUp,
          before,
          during,
          callers.phase(),
          callers.errors(),
          counters,
          (System.nanoTime() - start) / 1e9,
          (repairedAt - injectedAt) / 1_000_000,
          Math.max(0, (recoveredAt - repairedAt) / 1_000_000),
          charged(limiter));
    }
  }

  /** Waits until failure policies decide; a partial outage may not affect all subjects. */
  private static void awaitPolicies(Phase phase, Fault.Severity severity) {
    switch (severity) {
      case OUTAGE -> {
        for (var rule : OutageRules.NAMES) awaitPolicy(phase, rule);
        Eventually.holds(
            "the grace of allow-then-deny is over",
            TIMEOUT,
            () ->
                phase.decisions(OutageRules.ALLOW_THEN_DENY, Source.FALLBACK)
                    > phase.admitted(OutageRules.ALLOW_THEN_DENY, Source.FALLBACK));
      }
      case PARTIAL -> awaitPolicy(phase, OutageRules.AMPLE);
      case BRIEF, NONE -> {}
    }
  }

  private static void awaitPolicy(Phase phase, String rule) {
    Eventually.holds(
        "rule '%s' decides without the store".formatted(rule),
        TIMEOUT,
        () -> phase.decisions(rule, Source.FALLBACK) > 0);
  }

  private static long charged(RateLimiter limiter) {
    var ample = Request.of(Subject.of(OutageRules.subject(OutageRules.AMPLE, 0)), 0);
    var remaining = new AtomicLong();
    Eventually.holds(
        "the store reports the use",
        TIMEOUT,
        () -> {
          var result = limiter.peek(ample);
          remaining.set(result.limits().getFirst().remaining());
          return result.source() == Source.STORE;
        });
    return OutageRules.AMPLE_PER_HOUR - remaining.get();
  }
}
