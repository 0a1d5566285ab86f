package io.headgate.server.metrics;

import io.headgate.store.Source;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Counts the decisions of one rule. Each event loop counts in an array of its own. */
final class RuleDecisionCounts {
  private static final DecisionLabel[] OUTCOMES = DecisionLabel.values();
  private static final Source[] SOURCE = Source.values();
  private static final int SHADOW = OUTCOMES.length * SOURCE.length;

  private final String rule;
  private final boolean shownAtZero;
  private final AtomicReferenceArray<AtomicLongArray> byLoop;

  /**
   * Creates counters with all values 0.
   *
   * @param rule the value of the rule label
   * @param shownAtZero whether the common series are exported before their first event, since a
   *     series that begins at 1 has no rate
   */
  RuleDecisionCounts(String rule, boolean shownAtZero, int loops) {
    this.rule = rule;
    this.shownAtZero = shownAtZero;
    this.byLoop = new AtomicReferenceArray<>(loops);
  }

  /** Returns the array of an event loop; called only by that event loop. */
  AtomicLongArray of(int loop) {
    var array = byLoop.get(loop);
    if (array == null) {
      array = new AtomicLongArray(SHADOW + 1);
      byLoop.set(loop, array);
    }
    return array;
  }

  static void decided(AtomicLongArray array, DecisionLabel outcome, Source source) {
    increment(array, index(outcome, source));
  }

  static void wouldHaveDenied(AtomicLongArray array) {
    increment(array, SHADOW);
  }

  /** Increments without atomic operations, since the array has a single writer thread. */
  private static void increment(AtomicLongArray array, int index) {
    array.setOpaque(index, array.getPlain(index) + 1);
  }

  @SuppressWarnings("EnumOrdinal") // an index in memory, never stored
  private static int index(DecisionLabel outcome, Source source) {
    return outcome.ordinal() * SOURCE.length + source.ordinal();
  }

  void addTo(CounterSnapshot.Builder decisions, CounterSnapshot.Builder shadowDenials) {
    for (var outcome : OUTCOMES) {
      for (var source : SOURCE) {
        long count = sum(index(outcome, source));
        if (count == 0 && !isShownAtZero(outcome, source)) continue;
        decisions.dataPoint(
            point(
                count,
                Labels.of("rule", rule, "outcome", outcome.label(), "source", label(source))));
      }
    }
    long shadows = sum(SHADOW);
    if (shadows > 0) shadowDenials.dataPoint(point(shadows, Labels.of("rule", rule)));
  }

  /** Returns the number of decisions of all event loops. */
  long total() {
    long total = 0;
    for (int index = 0; index < SHADOW; index++) total += sum(index);
    return total;
  }

  private boolean isShownAtZero(DecisionLabel outcome, Source source) {
    return shownAtZero
        && source == Source.STORE
        && (outcome == DecisionLabel.ALLOWED || outcome == DecisionLabel.DENIED);
  }

  private long sum(int index) {
    long sum = 0;
    for (int loop = 0; loop < byLoop.length(); loop++) {
      var array = byLoop.get(loop);
      if (array != null) sum += array.get(index);
    }
    return sum;
  }

  private static String label(Source source) {
    return source.name().toLowerCase(Locale.ROOT);
  }

  private static CounterDataPointSnapshot point(long value, Labels labels) {
    return CounterDataPointSnapshot.builder().value((double) value).labels(labels).build();
  }
}
