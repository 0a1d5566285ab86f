package io.headgate.server.metrics;

import io.headgate.CheckResult;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.stats.DecisionListener;
import io.headgate.store.Source;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions by rule and measures their latency.
 *
 * <p>At most {@value #MAX_RULES} rules have series of their own: each at most 16 of decisions and
 * one of shadow denials. Decisions of other rules are counted as {@value #OTHER}. The series of a
 * rule are removed when the rule is no longer in force. Each event loop counts without locks in a
 * listener of its own; collecting the metrics is thread-safe.
 */
final class DecisionCounts {
  /** The label of decisions to which no rule applied; not a valid rule id. */
  static final String NONE = "(none)";

  /** The label of rules that are no longer in force or beyond the maximum number of series. */
  static final String OTHER = "(other)";

  static final int MAX_RULES = 1_000;

  private final Supplier<RuleSet> rules;
  private final Set<String> builtInRules;
  private final int loops;
  private final AtomicInteger nextLoop = new AtomicInteger();
  private final List<PrometheusHistogram> times = new CopyOnWriteArrayList<>();
  private final LongAdder uncounted = new LongAdder(); // rare, so not one for each event loop
  private final RuleDecisionCounts none;
  private final RuleDecisionCounts other;
  private final Map<String, RuleDecisionCounts> byRule = new LinkedHashMap<>(); // guarded by this
  private Set<String> inForce = Set.of(); // guarded by this
  private @Nullable RuleSet lastRules; // guarded by this

  /**
   * Creates counters.
   *
   * @param rules supplies the rules in force
   * @param builtInRules rules that appear in decisions without being in the repository
   * @param loops the maximum number of event loops, and thereby listeners
   */
  DecisionCounts(Supplier<RuleSet> rules, Set<String> builtInRules, int loops) {
    this.rules = rules;
    this.builtInRules = builtInRules;
    this.loops = loops;
    this.none = new RuleDecisionCounts(NONE, false, loops);
    this.other = new RuleDecisionCounts(OTHER, false, loops);
  }

  /** Returns a new listener, for one event loop. */
  DecisionListener listener() {
    return new LoopListener(nextLoop.getAndIncrement());
  }

  /** Returns the counters of a rule; those of {@link #OTHER} if it is no longer in force. */
  private synchronized RuleDecisionCounts counts(Rule rule) {
    dropDeleted();
    var existing = byRule.get(rule.id());
    if (existing != null) return existing;
    if (byRule.size() >= MAX_RULES || !inForce.contains(rule.id())) return other;
    var counts = new RuleDecisionCounts(rule.id(), true, loops);
    byRule.put(rule.id(), counts);
    return counts;
  }

  /** Drops the series of rules that are no longer in force. */
  private synchronized void dropDeleted() {
    var current = rules.get();
    if (current.equals(lastRules)) return;
    var ids = new HashSet<>(builtInRules);
    for (var rule : current.rules()) ids.add(rule.id());
    byRule.keySet().retainAll(ids);
    inForce = ids;
    lastRules = current;
  }

  private synchronized List<RuleDecisionCounts> all() {
    dropDeleted();
    var all = new ArrayList<>(byRule.values());
    all.add(none);
    all.add(other);
    return all;
  }

  void addTo(MetricSnapshots.Builder snapshots) {
    var decisions =
        CounterSnapshot.builder()
            .name("headgate_decisions")
            .help("Decisions, by the rule that denied or, if none did, whose limit is tightest.");
    var shadowDenials =
        CounterSnapshot.builder()
            .name("headgate_shadow_denials")
            .help("Requests that rules in shadow mode would have denied.");
    for (var counts : all()) counts.addTo(decisions, shadowDenials);
    snapshots.metricSnapshot(decisions.build()).metricSnapshot(shadowDenials.build());
    snapshots.metricSnapshot(
        CounterSnapshot.builder()
            .name("headgate_uncounted_checks")
            .help("Checks that rules which fail open allowed, because the store was unavailable.")
            .dataPoint(CounterDataPointSnapshot.builder().value((double) uncounted.sum()).build())
            .build());
    snapshots.metricSnapshot(
        CounterSnapshot.builder()
            .name("headgate_unmatched_checks")
            .help("Requests that were allowed because no enforced rule applied to them.")
            .dataPoint(CounterDataPointSnapshot.builder().value((double) none.total()).build())
            .build());
    snapshots.metricSnapshot(
        PrometheusHistogram.snapshot(
            "headgate_check_seconds",
            "Latency of decisions, without HTTP and gRPC processing.",
            times));
  }

  /**
   * Counts the decisions of one event loop. Caches the counters by the identity of the rule, so
   * that no lock is taken until the rules change.
   */
  private final class LoopListener implements DecisionListener {
    private static final int MAX_CACHED = 16_384; // limits of Envoy descriptors are rules too

    private final int loop;
    private final PrometheusHistogram latency = new PrometheusHistogram();
    private final AtomicLongArray noRule;
    private final IdentityHashMap<Rule, AtomicLongArray> cache = new IdentityHashMap<>();
    private @Nullable RuleSet cachedRules;

    LoopListener(int loop) {
      this.loop = loop;
      this.noRule = none.of(loop);
      times.add(latency);
    }

    @Override
    public void decided(Request request, CheckResult result, long nanos) {
      latency.addSingleWriter(nanos);
      var rule = result.rule();
      var array = rule.isPresent() ? counted(rule.get()) : noRule;
      RuleDecisionCounts.decided(array, DecisionLabel.of(result), result.source());
      if (result.source() == Source.FALLBACK && isUncounted(result)) uncounted.increment();
      var shadows = result.shadowDenials();
      if (shadows.isEmpty()) return;
      for (var shadow : shadows) RuleDecisionCounts.wouldHaveDenied(counted(shadow));
    }

    /** Returns whether the request passed an enforced rule that did not count it. */
    private static boolean isUncounted(CheckResult result) {
      if (!result.isAllowed()) return false;
      for (var report : result.limits()) {
        if (report.enforced() && !report.isKnown()) return true;
      }
      return false;
    }

    private AtomicLongArray counted(Rule rule) {
      var current = rules.get();
      if (!current.equals(cachedRules) || cache.size() >= MAX_CACHED) {
        cache.clear();
        cachedRules = current;
      }
      var existing = cache.get(rule);
      if (existing != null) return existing;
      var array = counts(rule).of(loop);
      cache.put(rule, array);
      return array;
    }
  }
}
