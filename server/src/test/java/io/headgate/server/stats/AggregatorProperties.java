package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.OutcomeCounts;
import io.headgate.server.counts.Resolution;
import io.headgate.server.counts.RuleTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Tests the counts by rule against sums of all events. */
class AggregatorProperties {
  private static final long START = 1_789_300_807L;

  /** Checks of consecutive rules, from one number on, some seconds after the previous event. */
  record Event(long step, int firstRule, int rules, int denied) {}

  private static Arbitrary<List<Event>> events(int maxRule, long maxStep) {
    return Combinators.combine(
            Arbitraries.longs().between(0, maxStep),
            Arbitraries.integers().between(0, maxRule),
            Arbitraries.integers().between(1, 40),
            Arbitraries.integers().between(0, 9))
        .as((step, first, count, denied) ->
            new Event(step, first, Math.min(count, maxRule - first + 1), denied))
        .list()
        .ofMinSize(1)
        .ofMaxSize(60);
  }

  @Provide
  Arbitrary<List<Event>> fewRules() {
    return events(RuleTable.MAX_RULES - 1, 100);
  }

  @Provide
  Arbitrary<List<Event>> manyRules() {
    return events(3 * RuleTable.MAX_RULES, 1_200);
  }

  private static String rule(int number) {
    return "rule" + number;
  }

  /** Adds the events, and returns the last second and the expected sums of each rule. */
  private static long add(
      Aggregator aggregator, List<Event> events, Map<String, Long> denied, long maxAge) {
    long last = START;
    for (var event : events) last += event.step;
    long now = START;
    for (var event : events) {
      now += event.step;
      var counts = new ThreadCounts(now);
      for (int i = 0; i < event.rules; i++) {
        String rule = rule(event.firstRule + i);
        count(counts.of(rule), event.denied);
        count(counts.all, event.denied);
        if (last - now < maxAge) denied.merge(rule, (long) event.denied, Long::sum);
      }
      aggregator.add(counts);
      aggregator.advance(now);
    }
    return last;
  }

  private static void count(OutcomeCounts outcomes, int denied) {
    outcomes.checks += denied;
    outcomes.denied += denied;
  }

  @Property(tries = 60)
  void upToTheMaximumEachRuleHasItsOwnCounts(@ForAll("fewRules") List<Event> events) {
    var aggregator = new Aggregator(START);
    var denied = new HashMap<String, Long>();
    long last = add(aggregator, events, denied, Long.MAX_VALUE); // less than a day
    denied.forEach((rule, count) -> {
      assertThat(aggregator.series(Resolution.MINUTES, last, rule).sum().denied()).isEqualTo(count);
      assertThat(aggregator.isTracked(Resolution.MINUTES, rule)).isTrue();
    });
    assertThat(aggregator.series(Resolution.MINUTES, last, Aggregator.OTHER).sum())
        .isEqualTo(CheckCounts.NONE);
  }

  @Property(tries = 60)
  void allRulesAndTheOthersAddUpToTheTotal(@ForAll("manyRules") List<Event> events) {
    var aggregator = new Aggregator(START);
    long last = add(aggregator, events, new HashMap<>(), Long.MAX_VALUE);
    for (var resolution : Resolution.values()) {
      var all = aggregator.series(resolution, last).buckets();
      var sums = new long[all.size()];
      addTo(sums, aggregator, resolution, last, Aggregator.OTHER);
      for (int i = 0; i <= 4 * RuleTable.MAX_RULES; i++) {
        addTo(sums, aggregator, resolution, last, rule(i));
      }
      assertThat(sums).isEqualTo(all.stream().mapToLong(CheckCounts::denied).toArray());
    }
  }

  private static void addTo(
      long[] sums, Aggregator aggregator, Resolution resolution, long last, String rule) {
    var buckets = aggregator.series(resolution, last, rule).buckets();
    for (int i = 0; i < sums.length; i++) sums[i] += buckets.get(i).denied();
  }
}
