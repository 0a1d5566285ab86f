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

/** Timelines, second by second, with a clock that is turned. */
class AnomalyDetectorTest {
  private static final long START = 1_789_300_800L;

  private final AnomalyDetector detector = new AnomalyDetector(START);
  private final List<Anomaly> changes = new ArrayList<>();
  private long now = START;

  private void pass(int seconds, CheckCounts each, List<BusyCaller> busiest) {
    var rules =
        each.equals(CheckCounts.NONE) ? Map.<String, CheckCounts>of() : Map.of("rule", each);
    pass(seconds, each, rules, busiest);
  }

  private void pass(
      int seconds, CheckCounts each, Map<String, CheckCounts> rules, List<BusyCaller> busiest) {
    for (int i = 0; i < seconds; i++) {
      changes.addAll(detector.observe(new DetectorInput(now++, each, rules, busiest)));
    }
  }

  private void pass(int seconds, long allowed, long denied) {
    pass(seconds, counts(allowed, denied), List.of());
  }

  private static CheckCounts counts(long allowed, long denied) {
    return new CheckCounts(allowed + denied, allowed, denied, 0, 0);
  }

  private void passStore(int seconds, boolean away, long passed) {
    for (int i = 0; i < seconds; i++) {
      changes.addAll(detector.observeStore(now++, away, passed));
    }
  }

  private static BusyCaller busy(String caller, double rate, long since) {
    return new BusyCaller(caller, rate, since);
  }

  private Anomaly only() {
    assertThat(changes).hasSize(1);
    return changes.removeFirst();
  }

  @Test
  void aRateThatLeavesItsHistoryOpensOneAnomalyAndEndsItWhenItIsBack() {
    pass(1_200, 50, 0);
    assertThat(changes).isEmpty();
    pass(60, 500, 0);
    var opened = only();
    assertThat(opened.kind()).isEqualTo(Kind.RATE);
    assertThat(opened.rule()).as("the one rule says no more than the whole").isEmpty();
    assertThat(opened.isOpen()).isTrue();
    assertThat(opened.sinceMillis() / 1_000 - (START + 1_200)).isLessThanOrEqualTo(20);
    assertThat(opened.value()).isEqualTo(500);
    assertThat(opened.expected().orElseThrow()).isBetween(49.0, 51.0);
    assertThat(opened.text()).startsWith("all callers together ask 9.9").endsWith("/s)");
    pass(300, 50, 0);
    var ended = only();
    assertThat(ended.id()).isEqualTo(opened.id());
    assertThat(ended.isOpen()).isFalse();
    assertThat(detector.anomalies()).containsExactly(ended);
    pass(3_700, 50, 0);
    assertThat(detector.anomalies()).as("after an hour").isEmpty();
  }

  @Test
  void whatSwingsAroundTheThresholdDoesNotOpenAndEndAllTheTime() {
    pass(1_200, 50, 0);
    for (int i = 0; i < 30; i++) {
      pass(30, 150, 0);
      pass(30, 80, 0);
    }
    assertThat(changes).hasSize(1);
  }

  @Test
  void littleTrafficIsNoAnomalyHoweverItScatters() {
    for (int i = 0; i < 600; i++) pass(10, i % 7 == 0 ? 1 : 0, 0);
    assertThat(changes).isEmpty();
  }

  @Test
  void aHistoryThatIsTooShortSaysNothing() {
    pass(300, 50, 0);
    pass(60, 500, 0);
    assertThat(changes).isEmpty();
  }

  @Test
  void trafficThatStopsIsMissed() {
    pass(1_200, 50, 0);
    pass(60, CheckCounts.NONE, List.of());
    var missed = only();
    assertThat(missed.text()).contains("less often than usual");
  }

  @Test
  void whatStaysBecomesUsual() {
    pass(1_200, 50, 0);
    pass(4 * 3_600, 200, 0);
    assertThat(changes).hasSize(2);
    assertThat(changes.getLast().isOpen()).isFalse();
  }

  @Test
  void aRuleThatDeniesMoreThanItUsedToIsNamed() {
    pass(1_200, 98, 2);
    pass(60, 60, 40);
    var opened = only();
    assertThat(opened.kind()).isEqualTo(Kind.DENIALS);
    assertThat(opened.rule()).hasValue("rule");
    assertThat(opened.text())
        .matches("rule rule denies 40\\.0% of what it is asked, usually 2\\.\\d\\d%");
    pass(120, 98, 2);
    assertThat(only().isOpen()).isFalse();
  }

  @Test
  void aRuleThatAlwaysDeniesAThirdIsAsUsual() {
    pass(3_600, 60, 30);
    assertThat(changes).isEmpty();
  }

  @Test
  void aCallerThatAsksFarMoreThanItsOwnHistoryIsNamedAlsoOneThatWasTooQuietToFollow() {
    var counts = counts(200, 0);
    pass(1_200, counts, List.of(busy("a", 10, START)));
    pass(30, counts, List.of(busy("a", 90, START), busy("quiet", 60, START)));
    assertThat(changes)
        .extracting(anomaly -> anomaly.caller().orElse(""))
        .containsExactlyInAnyOrder("a", "quiet");
    assertThat(changes).allMatch(anomaly -> anomaly.kind() == Kind.RATE);
    changes.clear();
    pass(120, counts, List.of(busy("a", 10, START)));
    assertThat(changes).hasSize(2).noneMatch(Anomaly::isOpen);
  }

  @Test
  void oneThatComesFromNowhereAndIsAtOnceBigIsNamedOnce() {
    var counts = counts(100, 0);
    pass(1_200, counts, List.of());
    long came = now;
    pass(30, counts, List.of(busy("new", 40, came)));
    var opened = only();
    assertThat(opened.kind()).isEqualTo(Kind.NEW_CALLER);
    assertThat(opened.caller()).hasValue("new");
    pass(100, counts, List.of());
    assertThat(only().isOpen()).isFalse();
    long again = now;
    pass(30, counts, List.of(busy("new", 40, again)));
    assertThat(changes).as("it has been here before").isEmpty();
  }

  @Test
  void nobodyIsNewWhileEverybodyIs() {
    pass(60, counts(100, 0), List.of(busy("first", 90, START)));
    assertThat(changes).isEmpty();
  }

  @Test
  void aStoreThatIsAwayIsSaidAtOnceAndSoIsWhatPassesForWantOfIt() {
    passStore(10, false, 0);
    passStore(1, true, 7);
    assertThat(changes).extracting(Anomaly::kind).containsExactly(Kind.BREAKER, Kind.FAIL_OPEN);
    assertThat(changes.getLast().value()).isEqualTo(7);
    passStore(3, false, 0);
    assertThat(changes).as("it may go again at once").hasSize(2);
    passStore(30, false, 0);
    assertThat(changes)
        .hasSize(4)
        .extracting(Anomaly::isOpen)
        .containsExactly(true, true, false, false);
  }

  @Test
  void aSurgeAfterAQuietTimeIsNamedAsOneAndTheQuietTimeEnds() {
    pass(1_200, 50, 0);
    pass(40, 1, 0);
    var quiet = only();
    assertThat(quiet.text()).contains("less often than usual");
    pass(30, 500, 0);
    assertThat(changes).hasSize(2);
    assertThat(changes.getFirst().id()).isEqualTo(quiet.id());
    assertThat(changes.getFirst().isOpen()).isFalse();
    assertThat(changes.getLast().isOpen()).isTrue();
    assertThat(changes.getLast().text()).contains("times as often as usual");
    changes.clear();
    pass(300, 50, 0);
    assertThat(only().isOpen()).isFalse();
  }

  @Test
  void aRuleThatIsAskedAsOftenAsEverIsAsUsualWhateverBecomesOfIt() {
    var all = counts(100, 0);
    pass(1_200, all, Map.of("rule", counts(50, 0)), List.of());
    // Another rule denies all of it; or this one only watches, and would deny.
    pass(300, counts(50, 50), Map.of("rule", new CheckCounts(50, 0, 0, 0, 0)), List.of());
    pass(300, all, Map.of("rule", new CheckCounts(50, 0, 0, 50, 0)), List.of());
    assertThat(changes).isEmpty();
  }

  @Test
  void aRuleThatIsNoLongerInForceIsNotMissedAndWhatIsOpenOfItEnds() {
    var both = Map.of("gone", counts(48, 2), "stays", counts(50, 0));
    pass(1_200, counts(98, 2), both, List.of());
    var denying = Map.of("gone", counts(20, 30), "stays", counts(50, 0));
    pass(60, counts(70, 30), denying, List.of());
    assertThat(only().rule()).hasValue("gone");
    detector.follow(Set.of("stays"), now);
    pass(2, counts(98, 2), both, List.of()); // what came late
    assertThat(only().isOpen()).isFalse();
    pass(1_200, counts(50, 0), Map.of("stays", counts(50, 0)), List.of());
    assertThat(changes).isEmpty();
    detector.follow(Set.of("gone", "stays"), now);
    pass(60, counts(98, 2), both, List.of());
    assertThat(changes).as("it has no history any more").isEmpty();
  }

  @Test
  void secondsOfWhichNothingIsKnownAreNotTakenForSilence() {
    pass(1_200, 50, 0);
    for (int i = 0; i < 20; i++) {
      pass(5, 50, 0);
      now += 600;
      detector.skipTo(now);
    }
    assertThat(changes).isEmpty();
  }

  /** Regulars who take turns at being among the busiest, half a minute each. */
  private void passRegulars(int groups, int steps, double rate) {
    for (int i = 0; i < steps; i++) {
      pass(10, counts(100, 0), regulars(i / 3 % groups, TopCallers.MOST_BUSY, rate));
    }
  }

  private static List<BusyCaller> regulars(int group, int size, double rate) {
    var busiest = new ArrayList<BusyCaller>();
    for (int i = 0; i < size; i++) busiest.add(busy(group + "-" + i, rate, START));
    return busiest;
  }

  @Test
  void manyRegularsDoNotKeepANewCallerFromBeingNamed() {
    passRegulars(CallerMonitor.MOST / TopCallers.MOST_BUSY, 100, 1);
    assertThat(changes).isEmpty();
    var busiest = regulars(0, TopCallers.MOST_BUSY - 1, 1);
    busiest.addFirst(busy("new", 40, now));
    pass(30, counts(100, 0), busiest);
    var opened = only();
    assertThat(opened.kind()).isEqualTo(Kind.NEW_CALLER);
    assertThat(opened.caller()).hasValue("new");
  }

  @Test
  void moreRegularsThanAreRememberedAreNotTakenForQuietOnesThatAskMore() {
    passRegulars(2 * CallerMonitor.MOST / TopCallers.MOST_BUSY, 300, 30);
    assertThat(changes).isEmpty();
  }

  @Test
  void thereAreNeverMoreThanSoMany() {
    for (int i = 0; i < 3 * AnomalyLog.MOST; i++) {
      passStore(1, true, 0);
      passStore(5, false, 0);
    }
    assertThat(detector.anomalies()).hasSizeLessThanOrEqualTo(AnomalyLog.MOST);
  }
}
