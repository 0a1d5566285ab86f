package io.headgate.server.metrics;

import io.headgate.CheckResult;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.stats.DecisionListener;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was decided, by rule, and how long it took.
 *
 * <p>There are at most {@value #MOST_RULES} rules with series of their own, each of which has 16 at
 * the most; what others decide is counted as {@value #OTHER}. The series of a rule end when it is
 * no longer in force, which makes room for others.
 */
final class DecisionCounts {
  /** Where no rule applied. No rule can be called so. */
  static final String NONE = "(none)";

  /** Of rules that are no longer in force, or more than there is room for. */
  static final String OTHER = "(other)";

  static final int MOST_RULES = 1_000;

  private final Supplier<RuleSet> rules;
  private final Set<String> alwaysThere;
  private final int loops;
  private final AtomicInteger given = new AtomicInteger();
  private final List<PrometheusHistogram> times = new CopyOnWriteArrayList<>();
  private final RuleDecisionCounts none;
  private final RuleDecisionCounts other;
  private final Map<String, RuleDecisionCounts> tallies = new LinkedHashMap<>(); // guarded by this
  private Set<String> inForce = Set.of(); // guarded by this
  private @Nullable RuleSet seen; // guarded by this

  /**
   * @param alwaysThere rules that are not in the book, but decide
   * @param loops how many witnesses there will be at the most
   */
  DecisionCounts(Supplier<RuleSet> rules, Set<String> alwaysThere, int loops) {
    this.rules = rules;
    this.alwaysThere = alwaysThere;
    this.loops = loops;
    this.none = new RuleDecisionCounts(NONE, false, loops);
    this.other = new RuleDecisionCounts(OTHER, false, loops);
  }

  /** For one event loop. */
  DecisionListener witness() {
    return new OfLoop(given.getAndIncrement());
  }

  /** Where the rule is counted. By the rules of this moment: those of a little while ago may go. */
  private synchronized RuleDecisionCounts tally(Rule rule) {
    forgetDeleted();
    var known = tallies.get(rule.id());
    if (known != null) return known;
    if (tallies.size() >= MOST_RULES || !inForce.contains(rule.id())) return other;
    var tally = new RuleDecisionCounts(rule.id(), true, loops);
    tallies.put(rule.id(), tally);
    return tally;
  }

  private synchronized void forgetDeleted() {
    var current = rules.get();
    if (current.equals(seen)) return;
    var ids = new HashSet<>(alwaysThere);
    for (var rule : current.rules()) ids.add(rule.id());
    tallies.keySet().retainAll(ids);
    inForce = ids;
    seen = current;
  }

  private synchronized List<RuleDecisionCounts> all() {
    forgetDeleted();
    var all = new ArrayList<>(tallies.values());
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
            .help("What rules in shadow mode would have denied.");
    for (var tally : all()) tally.addTo(decisions, shadowDenials);
    snapshots.metricSnapshot(decisions.build()).metricSnapshot(shadowDenials.build());
    snapshots.metricSnapshot(
        PrometheusHistogram.snapshot(
            "headgate_check_seconds",
            "How long decisions took, without HTTP or gRPC around them.",
            times));
  }

  /** Finds where to count by the rule's identity, and asks nobody as long as the rules stay. */
  private final class OfLoop implements DecisionListener {
    private static final int MOST_KEPT = 16_384; // descriptors may bring ever new limits along

    private final int loop;
    private final PrometheusHistogram took = new PrometheusHistogram();
    private final AtomicLongArray ofNone;
    private final IdentityHashMap<Rule, AtomicLongArray> kept = new IdentityHashMap<>();
    private @Nullable RuleSet keptOf;

    OfLoop(int loop) {
      this.loop = loop;
      this.ofNone = none.of(loop);
      times.add(took);
    }

    @Override
    public void decided(Request request, CheckResult result, long nanos) {
      took.addAlone(nanos);
      var rule = result.rule();
      var own = rule.isPresent() ? counted(rule.get()) : ofNone;
      RuleDecisionCounts.decided(own, DecisionLabel.of(result), result.source());
      var shadows = result.shadowDenials();
      if (shadows.isEmpty()) return;
      for (var shadow : shadows) RuleDecisionCounts.wouldHaveDenied(counted(shadow));
    }

    private AtomicLongArray counted(Rule rule) {
      var current = rules.get();
      if (!current.equals(keptOf) || kept.size() >= MOST_KEPT) {
        kept.clear();
        keptOf = current;
      }
      var known = kept.get(rule);
      if (known != null) return known;
      var own = tally(rule).of(loop);
      kept.put(rule, own);
      return own;
    }
  }
}
