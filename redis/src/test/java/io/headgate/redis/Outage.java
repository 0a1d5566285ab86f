package io.headgate.redis;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Lets callers ask before, during and after a trouble, and sees what becomes of them. */
final class Outage {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration STEADY = Duration.ofMillis(300);

  /**
   * Two for sockets, two for what follows, Lettuce's timer, the store's, its watch, its errands.
   */
  private static final int MOST_THREADS = 8;

  private final Site site;
  private final long decisionsPerPhase;

  /**
   * @param decisionsPerPhase at least so many
   */
  Outage(Site site, long decisionsPerPhase) {
    this.site = site;
    this.decisionsPerPhase = decisionsPerPhase;
  }

  Course of(Trouble trouble) throws Exception {
    long connections = site.connections().size();
    var strain = new Strain();
    Course course;
    try (var store = RedisStore.connect(RedisOptions.of(site.uri()).withListener(strain))) {
      course = course(trouble, store, strain);
      Eventually.holds("nothing is under way", PATIENCE, store::isIdle);
    }
    Eventually.holds(
        "no thread is left but " + Threads.ours(), PATIENCE, () -> Threads.ours().isEmpty());
    site.awaitConnections(connections, PATIENCE);
    return course;
  }

  private Course course(Trouble trouble, RedisStore store, Strain strain) throws Exception {
    var limiter = RateLimiter.with(store, OutageRules.all());
    long start = System.nanoTime();
    try (var callers = new Callers(limiter)) {
      callers.await(decisionsPerPhase / 2);
      callers.awaitStore(STEADY);
      long connections = site.connections().size();
      var warmUp = callers.next();
      callers.await(decisionsPerPhase);

      var before = callers.next();
      long struck = System.nanoTime();
      trouble.strikes().happens();
      callers.await(decisionsPerPhase);
      awaitPolicies(callers.phase(), trouble.severity());
      trouble.ends().happens();

      long ended = System.nanoTime();
      var during = callers.next();
      long back = callers.awaitStore(STEADY);
      trouble.aftermath().happens();
      callers.await(decisionsPerPhase);
      site.awaitConnections(site.mostConnections(connections), PATIENCE);
      Eventually.holds(
          "threads are no more than the pools have, and nobody probes",
          PATIENCE,
          () ->
              Threads.ours().size() <= MOST_THREADS && !Threads.ours().contains("headgate-probe"));
      callers.stop();
      return new Course(
          site,
          trouble,
          warmUp,
          before,
          during,
          callers.phase(),
          callers.errors(),
          strain,
          (System.nanoTime() - start) / 1e9,
          (ended - struck) / 1_000_000,
          Math.max(0, (back - ended) / 1_000_000),
          charged(limiter));
    }
  }

  /** A partial outage may spare some of the subjects, but not the one that it is aimed at. */
  private static void awaitPolicies(Phase phase, Trouble.Severity severity) {
    switch (severity) {
      case OUTAGE -> {
        for (var rule : OutageRules.NAMES) awaitPolicy(phase, rule);
        Eventually.holds(
            "the grace of allow-then-deny is over",
            PATIENCE,
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
        PATIENCE,
        () -> phase.decisions(rule, Source.FALLBACK) > 0);
  }

  private static long charged(RateLimiter limiter) {
    var ample = Request.of(Subject.of(OutageRules.subject(OutageRules.AMPLE, 0)), 0);
    var remaining = new AtomicLong();
    Eventually.holds(
        "the store says what is used",
        PATIENCE,
        () -> {
          var result = limiter.peek(ample);
          remaining.set(result.limits().getFirst().remaining());
          return result.source() == Source.STORE;
        });
    return OutageRules.AMPLE_PER_HOUR - remaining.get();
  }
}
