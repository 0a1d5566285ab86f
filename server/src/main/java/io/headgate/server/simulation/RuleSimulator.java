package io.headgate.server.simulation;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Outcome;
import io.headgate.limit.RollingWindow;
import io.headgate.rule.Plan;
import io.headgate.rule.RuleSet;
import io.headgate.store.MemoryStore;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One set of rules, tried from a fresh state by a clock that the requests turn. Decides as the
 * service does: the same plans, the same store in memory.
 *
 * <p>Nobody gives a slot in flight back: it is held until its lease ends.
 */
public final class RuleSimulator implements AutoCloseable {
  private final RuleSet rules;
  private final AtomicLong clock = new AtomicLong();
  private final MemoryStore store;
  private final Map<String, RuleTotals> tallies = new HashMap<>();
  private final List<RuleTotals> inOrder = new ArrayList<>();
  private final Map<SimulatedDecision, long[]> totals = new EnumMap<>(SimulatedDecision.class);
  private final SimulationBudget room;
  private final int lookEvery;
  private long holders;
  private long remembered;
  private long mostKeys;

  public RuleSimulator(RuleSet rules, SimulationBudget room) {
    this.rules = rules;
    this.room = room;
    this.lookEvery = Math.clamp(room.keys() / 16, 1, 1_024);
    this.store = MemoryStore.create(clock::get, room.keys());
    for (var rule : rules.rules()) {
      var tally = new RuleTotals(rule);
      tallies.put(rule.id(), tally);
      inOrder.add(tally);
    }
    for (var fate : SimulatedDecision.values()) totals.put(fate, new long[1]);
  }

  /** Asks; a request that comes before an earlier one's time is asked at that time. */
  SimulatedDecision ask(Arrival arrival) {
    if (arrival.micros() > clock.getPlain()) clock.set(arrival.micros());
    var plan = rules.plan(arrival.request(), clock.getPlain(), holders++);
    var outcomes = store.decide(plan).outcomes();
    if (holders % lookEvery == 0) mostKeys = Math.max(mostKeys, store.trackedKeys());
    long longest = 0;
    boolean allowed = true;
    for (var part : plan.parts()) {
      boolean refused = part.retryAfter(outcomes) > 0;
      long delay = refused ? 0 : delay(part, outcomes);
      tally(part).count(refused, delay);
      if (!part.isEnforced()) continue;
      allowed &= !refused;
      longest = Math.max(longest, delay);
    }
    var fate =
        !allowed
            ? SimulatedDecision.DENIED
            : longest > 0 ? SimulatedDecision.DELAYED : SimulatedDecision.ADMITTED;
    counter(fate)[0]++;
    if (allowed && room.requests() < Long.MAX_VALUE) remember(plan, outcomes);
    return fate;
  }

  /** As if nothing that was remembered ever went away: a bound, and cheaper than to look. */
  private void remember(Plan plan, List<Outcome> outcomes) {
    for (int i = 0; i < outcomes.size(); i++) {
      if (!(outcomes.get(i) instanceof Outcome.Passed)) continue;
      var limit = plan.charges().get(i).limit();
      if (limit instanceof RollingWindow || limit instanceof Concurrency) remembered++;
    }
    if (remembered > room.requests()) throw new SimulationBudget.Exceeded(room.requests());
  }

  private static long delay(Plan.Part part, List<Outcome> outcomes) {
    long longest = 0;
    for (int i = 0; i < part.counters().size(); i++) {
      if (outcomes.get(part.from() + i) instanceof Outcome.Passed passed) {
        longest = Math.max(longest, passed.delay());
      }
    }
    return longest;
  }

  private RuleTotals tally(Plan.Part part) {
    var tally = tallies.get(part.rule().id());
    if (tally == null) throw new IllegalStateException("no rule '%s'".formatted(part.rule().id()));
    return tally;
  }

  private long[] counter(SimulatedDecision fate) {
    var counter = totals.get(fate);
    if (counter == null) throw new IllegalStateException("nothing counts " + fate);
    return counter;
  }

  public long total(SimulatedDecision fate) {
    return counter(fate)[0];
  }

  /** The most counters that had a state at once, as far as was looked. */
  public long mostKeys() {
    return Math.max(mostKeys, store.trackedKeys());
  }

  /**
   * Whether there may have been no room for all counters. The store is in parts, of which the first
   * is full a little before all are.
   */
  public boolean isCrowded() {
    return mostKeys() >= room.keys() - room.keys() / 8;
  }

  public SimulationBudget room() {
    return room;
  }

  /** Each rule's, in the order of the rules. */
  public List<RuleTotals> byRule() {
    return inOrder;
  }

  public RuleSet rules() {
    return rules;
  }

  @Override
  public void close() {
    store.close();
  }
}
