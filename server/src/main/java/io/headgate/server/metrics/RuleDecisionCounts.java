package io.headgate.server.metrics;

import io.headgate.store.Source;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** What one rule has decided. Each event loop counts in an array of its own. */
final class RuleDecisionCounts {
  private static final DecisionLabel[] OUTCOMES = DecisionLabel.values();
  private static final Source[] SOURCE = Source.values();
  private static final int SHADOW = OUTCOMES.length * SOURCE.length;

  private final String rule;
  private final boolean shownAtZero;
  private final AtomicReferenceArray<AtomicLongArray> byLoop;

  /**
   * @param rule the label
   * @param shownAtZero whether what is usual is shown before it has happened: a series that begins
   *     at 1 has no rate
   */
  RuleDecisionCounts(String rule, boolean shownAtZero, int loops) {
    this.rule = rule;
    this.shownAtZero = shownAtZero;
    this.byLoop = new AtomicReferenceArray<>(loops);
  }

  /** To be called by that event loop only. */
  AtomicLongArray of(int loop) {
    var own = byLoop.get(loop);
    if (own == null) {
      own = new AtomicLongArray(SHADOW + 1);
      byLoop.set(loop, own);
    }
    return own;
  }

  static void decided(AtomicLongArray own, DecisionLabel outcome, Source source) {
    increment(own, place(outcome, source));
  }

  static void wouldHaveDenied(AtomicLongArray own) {
    increment(own, SHADOW);
  }

  /** No other thread writes there, so it need not be atomic; others see it a little later. */
  private static void increment(AtomicLongArray own, int place) {
    own.setOpaque(place, own.getPlain(place) + 1);
  }

  @SuppressWarnings("EnumOrdinal") // of this moment, never kept
  private static int place(DecisionLabel outcome, Source source) {
    return outcome.ordinal() * SOURCE.length + source.ordinal();
  }

  void addTo(CounterSnapshot.Builder decisions, CounterSnapshot.Builder shadowDenials) {
    for (var outcome : OUTCOMES) {
      for (var source : SOURCE) {
        long count = sum(place(outcome, source));
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

  private boolean isShownAtZero(DecisionLabel outcome, Source source) {
    return shownAtZero
        && source == Source.STORE
        && (outcome == DecisionLabel.ALLOWED || outcome == DecisionLabel.DENIED);
  }

  private long sum(int place) {
    long sum = 0;
    for (int loop = 0; loop < byLoop.length(); loop++) {
      var own = byLoop.get(loop);
      if (own != null) sum += own.get(place);
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
