package io.headgate.server.callers;

import io.headgate.server.counts.RuleTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The busiest and the most denied callers in bounded memory, overall and of each of {@value
 * RuleTable#MAX_RULES} rules. There are two Space-Saving sketches, since a caller with a few
 * denials must not be displaced by the many with allowed checks. Weights decay exponentially: a
 * check counts 1/e after {@link #WINDOW_SECONDS}, so a steady caller weighs as much as it sends in
 * that time.
 *
 * <p>Not thread-safe.
 */
public final class TopCallers {
  public static final int MAX_CALLERS = 1_000;
  static final int WINDOW_SECONDS = 600;

  /** Callers with a lower rate are not reported as busy. */
  public static final double MIN_BUSY_RATE = 0.5;

  public static final int MAX_BUSY = 100;

  private static final long RULE_EXPIRY_SECONDS = 24 * 3_600;
  private static final double DECAY = Math.exp(-1.0 / WINDOW_SECONDS);

  private final SpaceSaving allowed;
  private final SpaceSaving denied;
  private final Map<String, CallerEntry> callers = new HashMap<>();
  private final RuleTable<RuleCallers> rules = new RuleTable<>(RuleCallers::new, dropped -> {});
  private long now;

  public TopCallers(int capacity, long second) {
    this.allowed = new SpaceSaving(capacity);
    this.denied = new SpaceSaving(capacity);
    this.now = second;
  }

  /** Advances to this second and decays all weights. */
  public void advance(long second) {
    if (second <= now) return;
    double factor = Math.pow(DECAY, (double) second - now);
    allowed.decay(factor);
    denied.decay(factor);
    rules.expire(second, RULE_EXPIRY_SECONDS);
    now = second;
  }

  /** Adds the counts of a table. */
  public void add(CallerTable table) {
    for (var seen : table.all()) {
      add(CallerNaming.nameOf(seen.attribute, seen.subject), table.second, seen);
    }
  }

  private void add(String name, long second, CallerTable.Seen seen) {
    var caller = callers.computeIfAbsent(name, n -> new CallerEntry(n, seen.subject, second));
    String shared = caller.name(); // share one string, since it may be long
    int newAllowed = seen.allAllowed();
    int newDenied = seen.allDenied();
    if (newAllowed > 0) allowed.add(shared, newAllowed).ifPresent(dropped -> drop(dropped, denied));
    if (newDenied > 0) denied.add(shared, newDenied).ifPresent(dropped -> drop(dropped, allowed));
    caller.add(second, seen, allowed.isFull() || denied.isFull());
    for (CallerTable.RulePart part = seen; part != null; part = part.next) {
      if (!part.rule.isEmpty()) addToRule(shared, second, part);
    }
  }

  private void addToRule(String name, long second, CallerTable.RulePart part) {
    rules.use(part.rule, second).ifPresent(own -> own.add(name, second, part));
  }

  private void drop(String name, SpaceSaving other) {
    if (!other.has(name)) callers.remove(name);
  }

  /**
   * Returns the callers with the highest current rate, busiest first, at most {@value #MAX_BUSY}.
   */
  public List<BusyCaller> busiest() {
    var all = new ArrayList<BusyCaller>(callers.size());
    callers.forEach((name, caller) -> {
      double rate = caller.perSecond(now);
      if (rate >= MIN_BUSY_RATE) all.add(new BusyCaller(name, rate, caller.since()));
    });
    all.sort(Comparator.comparingDouble(BusyCaller::perSecond).reversed());
    return List.copyOf(all.subList(0, Math.min(MAX_BUSY, all.size())));
  }

  public int tracked() {
    return callers.size();
  }

  /** Returns the maximum weight of a caller that is not listed. */
  public double floor() {
    return allowed.floor() + denied.floor();
  }

  /** Returns the total weight of all callers. */
  public double total() {
    return allowed.total() + denied.total();
  }

  /** Returns all tracked callers in no particular order. */
  public List<CallerStats> list() {
    var list = new ArrayList<CallerStats>(callers.size());
    callers.forEach((name, caller) -> list.add(stats(name, caller)));
    return list;
  }

  Optional<CallerStats> find(String name) {
    return Optional.ofNullable(callers.get(name)).map(caller -> stats(name, caller));
  }

  /** Returns the counts of each recent second of a caller. */
  public Optional<CallerSeries> series(String name) {
    return Optional.ofNullable(callers.get(name)).map(caller -> caller.series(now));
  }

  /** Returns the callers of a rule. */
  public RuleCallerStats ofRule(String rule) {
    return rules.find(rule).map(own -> own.stats(now)).orElse(RuleCallerStats.NONE);
  }

  /**
   * Returns the statistics of a caller. If it is in one sketch only, it may have up to the other's
   * floor there, which is added to its weight and its error.
   */
  private CallerStats stats(String name, CallerEntry caller) {
    var allowedEntry = allowed.find(name);
    var deniedEntry = denied.find(name);
    double error =
        allowedEntry.map(SpaceSaving.Entry::error).orElseGet(allowed::floor)
            + deniedEntry.map(SpaceSaving.Entry::error).orElseGet(denied::floor);
    return new CallerStats(
        name,
        caller.subject().attributes(),
        allowedEntry.map(SpaceSaving.Entry::weight).orElseGet(allowed::floor),
        deniedEntry.map(SpaceSaving.Entry::weight).orElseGet(denied::floor),
        caller.perSecond(now),
        caller.deniedPerSecond(now),
        caller.burstRatio(now),
        caller.since() * 1_000,
        caller.last() * 1_000,
        error,
        caller.rules());
  }
}
