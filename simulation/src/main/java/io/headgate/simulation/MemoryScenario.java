package io.headgate.simulation;

import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.UnsweptStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Attacks the memory store with keys of equal hash codes. They must not evict the state of other
 * keys as long as there is free capacity.
 */
final class MemoryScenario implements Scenario {
  private static final int CAPACITY = 10_000;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 170);
    var work = new Workload(dice);
    var limit = TokenBucket.of(Workload.rate(dice.between(2, 10), 900 * Workload.SECOND));
    var rule = Rule.named("login").match("user", "*").limit(limit).build();
    var names = names(dice.oneIn(2));
    long at = 0;
    int rounds = (int) dice.between(2, 4);
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < limit.burst() + 2; i++) work.request(at++, 0, names.getFirst(), 1);
      for (int name = 1; name <= 50; name++) {
        var other = names.get((round * 50 + name) % (names.size() - 1) + 1);
        for (int i = 0; i < limit.burst() + 1; i++) work.request(at += 100, 0, other, 1);
      }
    }
    return new RunScript(
        seed,
        1,
        1,
        List.of(RuleSet.of(rule)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        1,
        0,
        work.events,
        at);
  }

  /** Returns names of equal {@code hashCode}, or distinct ones for comparison. */
  private static List<String> names(boolean equal) {
    var names = List.of("");
    for (int pair = 0; pair < 8; pair++) {
      var longer = new ArrayList<String>();
      for (var name : names) {
        longer.add(name + "Aa");
        longer.add(name + (equal ? "BB" : "Bc"));
      }
      names = longer;
    }
    return names;
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of();
  }

  @Override
  public Result run(RunScript script, boolean tracing) {
    var now = new long[] {World.START};
    var admitted = new java.util.LinkedHashMap<String, List<AdmissionBounds.Admitted>>();
    var history = new ArrayList<String>();
    var events = new PriorityQueue<Event>(java.util.Comparator.comparingLong(Event::at));
    events.addAll(script.events());
    long steps = 0;
    var rules = script.ruleSets().getFirst();
    try (var store = UnsweptStores.create(() -> now[0], CAPACITY)) {
      for (Event event; (event = events.poll()) != null; steps++) {
        if (!(event instanceof Event.Arrival arrival)) continue;
        now[0] = World.START + arrival.at();
        var plan = rules.plan(Request.of(Subject.of(arrival.subject()), arrival.cost()), now[0], 0);
        boolean allowed = plan.allows(store.decide(plan).outcomes());
        if (tracing) history.add(arrival + ": " + (allowed ? "allowed" : "denied"));
        if (!allowed) continue;
        admitted
            .computeIfAbsent(user(arrival.subject()), name -> new ArrayList<>())
            .add(new AdmissionBounds.Admitted(now[0], arrival.cost()));
      }
    }
    var limit = rules.rules().getFirst().limits().getFirst().limit();
    for (var entry : admitted.entrySet()) {
      long excess = AdmissionBounds.excess(limit, entry.getValue());
      if (excess > 0) {
        return new Result(
            "%s: admitted %d more than %s allows, with capacity for %d keys"
                .formatted(entry.getKey(), excess, limit, CAPACITY),
            steps,
            history);
      }
    }
    return new Result(null, steps, history);
  }

  private static String user(Map<String, String> subject) {
    return subject.getOrDefault("user", "");
  }
}
