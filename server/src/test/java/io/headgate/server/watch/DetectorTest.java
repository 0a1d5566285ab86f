package io.headgate.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.watch.Anomaly.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Timelines, second by second, with a clock that is turned. */
class DetectorTest {
  private static final long START = 1_789_300_800L;

  private final Detector detector = new Detector(START);
  private final List<Anomaly> changes = new ArrayList<>();
  private long now = START;

  private void pass(int seconds, Counts each, List<Glance.Busy> busiest, boolean away) {
    for (int i = 0; i < seconds; i++) {
      var rules = each.equals(Counts.NONE) ? Map.<String, Counts>of() : Map.of("rule", each);
      changes.addAll(detector.observe(new Glance(now++, each, rules, busiest, away)));
    }
  }

  private void pass(int seconds, long allowed, long denied) {
    pass(seconds, new Counts(allowed, denied, 0, 0, 0), List.of(), false);
  }

  private static Glance.Busy busy(String caller, double rate, long since) {
    return new Glance.Busy(caller, rate, since);
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
    pass(60, Counts.NONE, List.of(), false);
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
    var counts = new Counts(200, 0, 0, 0, 0);
    pass(1_200, counts, List.of(busy("a", 10, START)), false);
    pass(30, counts, List.of(busy("a", 90, START), busy("quiet", 60, START)), false);
    assertThat(changes)
        .extracting(anomaly -> anomaly.caller().orElse(""))
        .containsExactlyInAnyOrder("a", "quiet");
    assertThat(changes).allMatch(anomaly -> anomaly.kind() == Kind.RATE);
    changes.clear();
    pass(120, counts, List.of(busy("a", 10, START)), false);
    assertThat(changes).hasSize(2).noneMatch(Anomaly::isOpen);
  }

  @Test
  void oneThatComesFromNowhereAndIsAtOnceBigIsNamedOnce() {
    var counts = new Counts(100, 0, 0, 0, 0);
    pass(1_200, counts, List.of(), false);
    long came = now;
    pass(30, counts, List.of(busy("new", 40, came)), false);
    var opened = only();
    assertThat(opened.kind()).isEqualTo(Kind.NEW_CALLER);
    assertThat(opened.caller()).hasValue("new");
    pass(100, counts, List.of(), false);
    assertThat(only().isOpen()).isFalse();
    long again = now;
    pass(30, counts, List.of(busy("new", 40, again)), false);
    assertThat(changes).as("it has been here before").isEmpty();
  }

  @Test
  void nobodyIsNewWhileEverybodyIs() {
    pass(60, new Counts(100, 0, 0, 0, 0), List.of(busy("first", 90, START)), false);
    assertThat(changes).isEmpty();
  }

  @Test
  void aStoreThatIsAwayIsSaidAtOnceAndSoIsWhatPassesForWantOfIt() {
    pass(10, Counts.NONE, List.of(), false);
    pass(1, new Counts(7, 0, 0, 7, 7), List.of(), true);
    assertThat(changes).extracting(Anomaly::kind).containsExactly(Kind.BREAKER, Kind.FAIL_OPEN);
    assertThat(changes.getLast().value()).isEqualTo(7);
    pass(3, Counts.NONE, List.of(), false);
    assertThat(changes).as("it may go again at once").hasSize(2);
    pass(30, Counts.NONE, List.of(), false);
    assertThat(changes)
        .hasSize(4)
        .extracting(Anomaly::isOpen)
        .containsExactly(true, true, false, false);
  }

  @Test
  void thereAreNeverMoreThanSoMany() {
    for (int i = 0; i < 3 * Journal.MOST; i++) {
      pass(1, Counts.NONE, List.of(), true);
      pass(5, Counts.NONE, List.of(), false);
    }
    assertThat(detector.anomalies()).hasSizeLessThanOrEqualTo(Journal.MOST);
  }
}
