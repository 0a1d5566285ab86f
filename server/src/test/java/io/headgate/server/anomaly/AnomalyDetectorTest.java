package io.headgate.server.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.callers.BusyCaller;
import io.headgate.server.callers.TopCallers;
import io.headgate.server.counts.CheckCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the detector on timelines, second by second. */
class AnomalyDetectorTest {
  private static final long START = 1_789_300_800L;

  private final AnomalyDetector detector = new AnomalyDetector(START);
  private final List<Anomaly> changes = new ArrayList<>();
  private long now = START;

  private void observe(int seconds, CheckCounts each, List<BusyCaller> busiest) {
    var rules =
        each.equals(CheckCounts.NONE) ? Map.<String, CheckCounts>of() : Map.of("rule", each);
    observe(seconds, each, rules, busiest);
  }

  private void observe(
      int seconds, CheckCounts each, Map<String, CheckCounts> rules, List<BusyCaller> busiest) {
    for (int i = 0; i < seconds; i++) {
      changes.addAll(detector.observe(new DetectorInput(now++, each, rules, busiest)));
    }
  }

  private void observe(int seconds, long allowed, long denied) {
    observe(seconds, counts(allowed, denied), List.of());
  }

  private static CheckCounts counts(long allowed, long denied) {
    return new CheckCounts(allowed + denied, allowed, denied, 0, 0, 0, 0);
  }

  private void observeStore(int seconds, boolean unavailable, long uncounted) {
    for (int i = 0; i < seconds; i++) {
      changes.addAll(detector.observeStore(now++, unavailable, uncounted));
    }
  }

  private static BusyCaller busy(String caller, double rate, long since) {
    return new BusyCaller(caller, rate, since);
  }

  private Anomaly singleChange() {
    assertThat(changes).hasSize(1);
    return changes.removeFirst();
  }

  @Test
  void unusualRateOpensOneAnomalyThatEndsWithIt() {
    observe(1_200, 50, 0);
    assertThat(changes).isEmpty();
    observe(60, 500, 0);
    var opened = singleChange();
    assertThat(opened.kind()).isEqualTo(Kind.RATE);
    assertThat(opened.rule()).as("the only rule adds nothing to the overall rate").isEmpty();
    assertThat(opened.isOpen()).isTrue();
    assertThat(opened.sinceMillis() / 1_000 - (START + 1_200)).isLessThanOrEqualTo(20);
    assertThat(opened.value()).isEqualTo(500);
    assertThat(opened.expected().orElseThrow()).isBetween(49.0, 51.0);
    assertThat(opened.text()).startsWith("all callers together send 9.9").endsWith("/s)");
    observe(300, 50, 0);
    var ended = singleChange();
    assertThat(ended.id()).isEqualTo(opened.id());
    assertThat(ended.isOpen()).isFalse();
    assertThat(detector.anomalies()).containsExactly(ended);
    observe(3_700, 50, 0);
    assertThat(detector.anomalies()).as("after an hour").isEmpty();
  }

  @Test
  void rateAroundTheThresholdDoesNotFlap() {
    observe(1_200, 50, 0);
    for (int i = 0; i < 30; i++) {
      observe(30, 150, 0);
      observe(30, 80, 0);
    }
    assertThat(changes).hasSize(1);
  }

  @Test
  void sparseTrafficIsNoAnomaly() {
    for (int i = 0; i < 600; i++) observe(10, i % 7 == 0 ? 1 : 0, 0);
    assertThat(changes).isEmpty();
  }

  @Test
  void firstTrafficOfNewInstallationIsNoAnomaly() {
    observe(3_600, CheckCounts.NONE, List.of());
    observe(600, 107, 0);
    assertThat(changes).isEmpty();
  }

  @Test
  void loadAfterHardlyAnyTrafficIsNotCriticalAndHasHumanFigures() {
    observe(20, 1, 0);
    observe(3_600, CheckCounts.NONE, List.of());
    observe(60, 1_070, 0);
    var opened = singleChange();
    assertThat(opened.severity()).isEqualTo(Anomaly.Severity.WARNING);
    assertThat(opened.text())
        .isEqualTo("all callers together send 1,070 checks/s, usually almost none");
  }

  @Test
  void multiplesHaveNoExponent() {
    observe(1_200, 3, 0);
    observe(60, 32_100, 0);
    var opened = singleChange();
    assertThat(opened.severity()).isEqualTo(Anomaly.Severity.CRITICAL);
    assertThat(opened.text())
        .startsWith("all callers together send 10,600 times as many checks as usual (32,100/s, ")
        .doesNotContain("e+");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|0",
        "0.0001|less than 0.001",
        "0.12345|0.123",
        "9.984|9.98",
        "12.345|12.3",
        "99.96|100.0",
        "999.6|1,000",
        "1074|1,070",
        "1234567|1,230,000"
      })
  void figuresHaveThreeDigitsAndNoExponent(double value, String text) {
    assertThat(ShortNumber.of(value)).isEqualTo(text);
  }

  @Test
  void shortHistoryReportsNothing() {
    observe(300, 50, 0);
    observe(60, 500, 0);
    assertThat(changes).isEmpty();
  }

  @Test
  void stoppedTrafficIsReported() {
    observe(1_200, 50, 0);
    observe(60, CheckCounts.NONE, List.of());
    var missed = singleChange();
    assertThat(missed.text()).contains("fewer checks than usual");
  }

  @Test
  void permanentChangeBecomesUsual() {
    observe(1_200, 50, 0);
    observe(4 * 3_600, 200, 0);
    assertThat(changes).hasSize(2);
    assertThat(changes.getLast().isOpen()).isFalse();
  }

  @Test
  void ruleWithMoreDenialsThanUsualIsReported() {
    observe(1_200, 98, 2);
    observe(60, 60, 40);
    var opened = singleChange();
    assertThat(opened.kind()).isEqualTo(Kind.DENIALS);
    assertThat(opened.rule()).hasValue("rule");
    assertThat(opened.text())
        .matches("rule rule denies 40\\.0% of its checks, usually 2\\.\\d\\d%");
    observe(120, 98, 2);
    assertThat(singleChange().isOpen()).isFalse();
  }

  @Test
  void constantDenialsAreNoAnomaly() {
    observe(3_600, 60, 30);
    assertThat(changes).isEmpty();
  }

  @Test
  void callerAboveItsHistoryIsReportedEvenIfItWasTooQuietToTrack() {
    var counts = counts(200, 0);
    observe(1_200, counts, List.of(busy("a", 10, START)));
    observe(30, counts, List.of(busy("a", 90, START), busy("quiet", 60, START)));
    assertThat(changes)
        .extracting(anomaly -> anomaly.caller().orElse(""))
        .containsExactlyInAnyOrder("a", "quiet");
    assertThat(changes).allMatch(anomaly -> anomaly.kind() == Kind.RATE);
    changes.clear();
    observe(120, counts, List.of(busy("a", 10, START)));
    assertThat(changes).hasSize(2).noneMatch(Anomaly::isOpen);
  }

  @Test
  void newBusyCallerIsReportedOnce() {
    var counts = counts(100, 0);
    observe(1_200, counts, List.of());
    long came = now;
    observe(30, counts, List.of(busy("new", 40, came)));
    var opened = singleChange();
    assertThat(opened.kind()).isEqualTo(Kind.NEW_CALLER);
    assertThat(opened.caller()).hasValue("new");
    observe(100, counts, List.of());
    assertThat(singleChange().isOpen()).isFalse();
    long again = now;
    observe(30, counts, List.of(busy("new", 40, again)));
    assertThat(changes).as("it was seen before").isEmpty();
  }

  @Test
  void noCallerIsNewAtTheStart() {
    observe(60, counts(100, 0), List.of(busy("first", 90, START)));
    assertThat(changes).isEmpty();
  }

  @Test
  void outageAndUncountedChecksAreReportedAtOnce() {
    observeStore(10, false, 0);
    observeStore(1, true, 7);
    assertThat(changes).extracting(Anomaly::kind).containsExactly(Kind.BREAKER, Kind.FAIL_OPEN);
    assertThat(changes.getLast().value()).isEqualTo(7);
    observeStore(3, false, 0);
    assertThat(changes).as("it may fail again at once").hasSize(2);
    observeStore(30, false, 0);
    assertThat(changes)
        .hasSize(4)
        .extracting(Anomaly::isOpen)
        .containsExactly(true, true, false, false);
  }

  @Test
  void surgeAfterADropEndsTheDrop() {
    observe(1_200, 50, 0);
    observe(40, 1, 0);
    var quiet = singleChange();
    assertThat(quiet.text()).contains("fewer checks than usual");
    observe(30, 500, 0);
    assertThat(changes).hasSize(2);
    assertThat(changes.getFirst().id()).isEqualTo(quiet.id());
    assertThat(changes.getFirst().isOpen()).isFalse();
    assertThat(changes.getLast().isOpen()).isTrue();
    assertThat(changes.getLast().text()).contains("times as many checks as usual");
    changes.clear();
    observe(300, 50, 0);
    assertThat(singleChange().isOpen()).isFalse();
  }

  @Test
  void constantRateOfARuleIsNoAnomalyWhateverTheDecisions() {
    var all = counts(100, 0);
    observe(1_200, all, Map.of("rule", counts(50, 0)), List.of());
    // Another rule denies all of it, or this rule is in shadow mode and would deny.
    observe(300, counts(50, 50), Map.of("rule", new CheckCounts(50, 0, 0, 0, 0, 0, 0)), List.of());
    observe(300, all, Map.of("rule", new CheckCounts(50, 0, 0, 50, 0, 0, 0)), List.of());
    assertThat(changes).isEmpty();
  }

  @Test
  void removedRuleEndsItsAnomalies() {
    var both = Map.of("gone", counts(48, 2), "stays", counts(50, 0));
    observe(1_200, counts(98, 2), both, List.of());
    var denying = Map.of("gone", counts(20, 30), "stays", counts(50, 0));
    observe(60, counts(70, 30), denying, List.of());
    assertThat(singleChange().rule()).hasValue("gone");
    detector.setActiveRules(Set.of("stays"), now);
    observe(2, counts(98, 2), both, List.of()); // late counts
    assertThat(singleChange().isOpen()).isFalse();
    observe(1_200, counts(50, 0), Map.of("stays", counts(50, 0)), List.of());
    assertThat(changes).isEmpty();
    detector.setActiveRules(Set.of("gone", "stays"), now);
    observe(60, counts(98, 2), both, List.of());
    assertThat(changes).as("its history was dropped").isEmpty();
  }

  @Test
  void skippedSecondsAreNotMistakenForMissingTraffic() {
    observe(1_200, 50, 0);
    for (int i = 0; i < 20; i++) {
      observe(5, 50, 0);
      now += 600;
      detector.skipTo(now);
    }
    assertThat(changes).isEmpty();
  }

  /** Observes regular callers that alternate among the busiest, half a minute each. */
  private void observeRegulars(int groups, int steps, double rate) {
    for (int i = 0; i < steps; i++) {
      observe(10, counts(100, 0), regulars(i / 3 % groups, TopCallers.MAX_BUSY, rate));
    }
  }

  private static List<BusyCaller> regulars(int group, int size, double rate) {
    var busiest = new ArrayList<BusyCaller>();
    for (int i = 0; i < size; i++) busiest.add(busy(group + "-" + i, rate, START));
    return busiest;
  }

  @Test
  void newCallerIsReportedAmongManyRegularCallers() {
    observeRegulars(CallerMonitor.MAX_CALLERS / TopCallers.MAX_BUSY, 100, 1);
    assertThat(changes).isEmpty();
    var busiest = regulars(0, TopCallers.MAX_BUSY - 1, 1);
    busiest.addFirst(busy("new", 40, now));
    observe(30, counts(100, 0), busiest);
    var opened = singleChange();
    assertThat(opened.kind()).isEqualTo(Kind.NEW_CALLER);
    assertThat(opened.caller()).hasValue("new");
  }

  @Test
  void evictedRegularCallersAreNotMistakenForQuietOnes() {
    observeRegulars(2 * CallerMonitor.MAX_CALLERS / TopCallers.MAX_BUSY, 300, 30);
    assertThat(changes).isEmpty();
  }

  @Test
  void numberOfAnomaliesIsBounded() {
    for (int i = 0; i < 3 * AnomalyLog.MAX_ANOMALIES; i++) {
      observeStore(1, true, 0);
      observeStore(5, false, 0);
    }
    assertThat(detector.anomalies()).hasSizeLessThanOrEqualTo(AnomalyLog.MAX_ANOMALIES);
  }

  @Test
  void shedLoadIsReportedFromTheFirstSecondUntilFiveSecondsAfterTheLast() {
    var overload = new AnomalyDetector(0);
    assertThat(overload.observeLevels(1, Map.of())).isEmpty();
    var opened = overload.observeLevels(2, Map.of("shed", 0.25));
    assertThat(opened).hasSize(1);
    assertThat(opened.getFirst().kind()).isEqualTo(Anomaly.Kind.OVERLOAD);
    assertThat(opened.getFirst().rule()).contains("shed");
    assertThat(opened.getFirst().text())
        .isEqualTo("rule shed drops 25.0% of the requests, because a backend reports overload");
    assertThat(overload.observeLevels(3, Map.of())).isEmpty();
    assertThat(overload.observeLevels(4, Map.of("shed", 0.1))).isEmpty();
    for (int second = 5; second < 9; second++) {
      assertThat(overload.observeLevels(second, Map.of())).isEmpty();
    }
    assertThat(overload.observeLevels(9, Map.of()))
        .allMatch(anomaly -> !anomaly.isOpen())
        .hasSize(1);
  }
}
