package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.callers.CallerNaming;
import io.headgate.store.MemoryStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Compares the simulation with a separate limiter for each rule set. */
class ComparisonProperties {
  private static final RuleSet BEFORE =
      RuleSet.of(
          RuleFile.read(
              """
              rules:
                - { id: user, match: { user: "*" }, limit: { algorithm: token-bucket, rate: 2/1s, burst: 3 } }
                - { id: path, match: { path: /a }, limit: { algorithm: fixed-window, rate: 5/3s } }
                - { id: try, mode: shadow, match: { user: "*" }, limit: { algorithm: rolling-window, rate: 2/2s } }
                - { id: rest, match: {}, fallback: true, limit: { algorithm: fixed-window, rate: 3/1s } }
              """));
  private static final RuleSet AFTER =
      RuleSet.of(
          RuleFile.read(
              """
              rules:
                - { id: user, match: { user: "*" }, limit: { algorithm: leaky-bucket, rate: 1/1s, queue: 2 } }
                - id: both
                  match: { path: "*" }
                  per: [path]
                  limits:
                    - { name: calls, algorithm: sliding-window, rate: 4/2s }
                    - { name: bytes, algorithm: token-bucket, rate: 500/1s, cost: bytes }
              """));

  private final AtomicLong clock = new AtomicLong();

  @Property(tries = 60)
  void decisionsMatchThoseOfALimiter(@ForAll long seed) {
    var arrivals = arrivals(new Random(seed));
    try (var comparison =
            Comparison.of(
                new RuleSimulator(BEFORE, SimulationBudget.DEFAULT),
                new RuleSimulator(AFTER, SimulationBudget.DEFAULT),
                Deadline.NEVER);
        var before = limiter(BEFORE);
        var after = limiter(AFTER)) {
      var denied = new HashMap<String, long[]>();
      var byRule = new HashMap<String, Long>();
      long toDenied = 0;
      long toAllowed = 0;
      long delayed = 0;
      for (var arrival : arrivals) {
        comparison.add(arrival);
        clock.set(arrival.micros());
        var was = before.checkForResult(arrival.request());
        var is = after.checkForResult(arrival.request());
        if (was.isAllowed() && !is.isAllowed()) toDenied++;
        if (!was.isAllowed() && is.isAllowed()) toAllowed++;
        if (!is.delay().isZero()) delayed++;
        var counts =
            denied.computeIfAbsent(
                CallerNaming.DEFAULT.nameOrText(arrival.request().subject()), c -> new long[2]);
        if (!was.isAllowed()) counts[0]++;
        if (!is.isAllowed()) counts[1]++;
        for (var policy : was.violated()) byRule.merge(policy, 1L, Long::sum);
        for (var policy : was.shadowViolated()) byRule.merge(policy, 1L, Long::sum);
      }
      assertThat(comparison.changedToDenied()).isEqualTo(toDenied);
      assertThat(comparison.changedToAllowed()).isEqualTo(toAllowed);
      assertThat(comparison.after().total(SimulatedDecision.DELAYED)).isEqualTo(delayed);
      for (var totals : comparison.before().byRule()) {
        assertThat(totals.denied())
            .as(totals.rule().id())
            .isEqualTo(byRule.getOrDefault(totals.rule().id(), 0L));
      }
      denied.values().removeIf(counts -> counts[0] == 0 && counts[1] == 0);
      var listed = comparison.mostChanged(100);
      assertThat(listed).hasSameSizeAs(denied.keySet());
      for (var caller : listed) {
        assertThat(denied.get(caller.caller()))
            .containsExactly(caller.deniedBefore(), caller.deniedAfter());
      }
    }
  }

  private RateLimiter limiter(RuleSet rules) {
    return RateLimiter.with(MemoryStore.create(clock::get, 1_000), rules, clock::get);
  }

  private static List<Arrival> arrivals(Random random) {
    var arrivals = new ArrayList<Arrival>();
    long now = 1_789_300_800_000_000L;
    for (int i = 0; i < 120; i++) {
      now += random.nextInt(300_000);
      var attributes = new HashMap<String, String>();
      if (random.nextInt(4) > 0) attributes.put("user", "" + random.nextInt(3));
      if (random.nextInt(3) > 0) attributes.put("path", random.nextBoolean() ? "/a" : "/b");
      attributes.put("n", "" + random.nextInt(2));
      var costs = Map.of("bytes", (long) random.nextInt(400));
      arrivals.add(
          new Arrival(
              now, false, new Request(Subject.of(attributes), 1 + random.nextInt(2), costs)));
    }
    return arrivals;
  }
}
