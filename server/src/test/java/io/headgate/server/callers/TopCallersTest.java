package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.headgate.rule.Subject;
import io.headgate.server.counts.BucketRing;
import io.headgate.server.stats.CallerStatsFixtures;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TopCallersTest {
  private static final long START = 1_789_300_800L;

  /** Counts checks of one caller in one second. */
  private static void count(
      TopCallers callers, long second, Subject subject, int allowed, int denied, String rule) {
    callers.advance(second);
    var table = new CallerTable(second, 7);
    var names = new CallerNaming(CallerNaming.DEFAULT_ATTRIBUTES);
    String attribute = names.attributeOf(subject);
    var part = table.find(attribute, subject.attribute(attribute).orElse(""), subject, rule);
    part.allowed += allowed;
    part.denied += denied;
    callers.add(table);
  }

  private static void count(TopCallers callers, long second, String key, int allowed) {
    count(callers, second, Subject.of(key), allowed, 0, "rule");
  }

  @Property(tries = 10)
  void steadyCallerHasTheWeightOfOneWindowAndTheRightRateFromTheStart(
      @ForAll @IntRange(min = 1, max = 1_000) int perSecond,
      @ForAll @IntRange(min = 1, max = 20) int seconds) {
    var callers = new TopCallers(10, START);
    for (int i = 0; i < seconds; i++) count(callers, START + i, "steady", perSecond);
    var stats = callers.find("steady").orElseThrow();
    assertThat(stats.perSecond()).isCloseTo(perSecond, withPercentage(0.01));
    assertThat(stats.burstRatio().orElseThrow()).isCloseTo(1, withPercentage(0.01));
    for (int i = seconds; i < 6_000; i++) count(callers, START + i, "steady", perSecond);
    assertThat(callers.find("steady").orElseThrow().allowed())
        .isCloseTo(perSecond * (double) TopCallers.WINDOW_SECONDS, withPercentage(0.2));
  }

  @Test
  void idleCallerDecaysAndKeepsItsLastTime() {
    var callers = new TopCallers(10, START);
    count(callers, START, "once", 1_000);
    callers.advance(START + TopCallers.WINDOW_SECONDS);
    var stats = callers.find("once").orElseThrow();
    assertThat(stats.allowed()).isCloseTo(1_000 / Math.E, withPercentage(0.01));
    assertThat(stats.perSecond()).isLessThan(0.001);
    assertThat(stats.lastMillis()).isEqualTo(START * 1_000);
  }

  @Test
  void burstRatioDistinguishesBurstsFromSteadyTraffic() {
    var callers = new TopCallers(10, START);
    for (int i = 0; i < 60; i++) {
      count(callers, START + i, "steady", 10);
      if (i % 20 == 0) count(callers, START + i, "bursts", 200);
    }
    callers.advance(START + 59);
    assertThat(callers.find("steady").orElseThrow().burstRatio().orElseThrow()).isEqualTo(1);
    assertThat(callers.find("bursts").orElseThrow().burstRatio().orElseThrow()).isEqualTo(20);
    var series = callers.series("bursts").orElseThrow();
    assertThat(Arrays.stream(series.allowed()).sum()).isEqualTo(600);
    assertThat(series.allowed()[BucketRing.SECONDS - 1 - 59]).isEqualTo(200);
    assertThat(series.from()).isEqualTo(START + 59 - BucketRing.SECONDS + 1);
  }

  @Test
  void deniedCallerIsNotDisplacedByAllowedOnes() {
    var callers = new TopCallers(100, START);
    count(callers, START, Subject.of("denied"), 0, 3, "login");
    for (int i = 0; i < 10_000; i++) count(callers, START, "flood" + i, 5);
    var stats = callers.find("denied").orElseThrow();
    assertThat(stats.denied()).isEqualTo(3);
    assertThat(stats.allowed()).as("the other sketch's floor").isEqualTo(stats.error());
    assertThat(stats.rules()).containsExactly("login");
    assertThat(callers.tracked()).isLessThanOrEqualTo(200);
    assertThat(callers.floor()).isLessThanOrEqualTo(callers.total() / 100);
  }

  /** With a capacity so small that callers are in one sketch only or are replaced. */
  @Property(tries = 200)
  void countIsNeverTooLowAndAtMostItsErrorTooHigh(
      @ForAll @Size(min = 1, max = 300) List<@IntRange(min = 0, max = 29) Integer> stream) {
    var callers = new TopCallers(5, START);
    var allowed = new int[15];
    var denied = new int[15];
    for (int event : stream) {
      int caller = event % 15;
      boolean isAllowed = event >= 15;
      if (isAllowed) allowed[caller]++;
      else denied[caller]++;
      count(
          callers,
          START,
          Subject.of("caller" + caller),
          isAllowed ? 1 : 0,
          isAllowed ? 0 : 1,
          "rule");
    }
    for (int i = 0; i < 15; i++) {
      var found = callers.find("caller" + i);
      if (found.isEmpty()) continue;
      var stats = found.get();
      assertThat(stats.allowed()).isGreaterThanOrEqualTo(allowed[i]);
      assertThat(stats.denied()).isGreaterThanOrEqualTo(denied[i]);
      assertThat(stats.all() - stats.error()).isLessThanOrEqualTo(allowed[i] + denied[i]);
    }
  }

  @Test
  void longSubjectsAreShortenedButKeepTheNamingAttribute() {
    var attributes = new LinkedHashMap<String, String>();
    for (int i = 0; i < 29; i++) attributes.put("long" + i, "x".repeat(Subject.MAX_VALUE_LENGTH));
    attributes.put("path", "/a");
    var unnamed = Subject.of(attributes);
    attributes.put("user", "42");
    attributes.put("plan", "free");
    var named = Subject.of(attributes);
    var callers = new TopCallers(10, START);
    count(callers, START, named, 1, 0, "rule");
    assertThat(callers.find("user=42").orElseThrow().subject())
        .hasSize(4)
        .containsEntry("user", "42")
        .containsEntry("path", "/a")
        .containsEntry("plan", "free")
        .containsKey("long0");
    count(callers, START, unnamed, 1, 0, "rule");
    assertThat(callers.find(CallerNaming.UNNAMED).orElseThrow().subject())
        .containsOnlyKeys("long0", "path");
    attributes.put("user", "u".repeat(Subject.MAX_VALUE_LENGTH));
    count(callers, START, Subject.of(attributes), 1, 0, "rule");
    assertThat(callers.find("user=" + attributes.get("user")).orElseThrow().subject())
        .containsKey("user")
        .doesNotContainKey("long0");
  }

  @Test
  void oversizedCallerDoesNotExcludeAShorterOne() {
    var attributes = new LinkedHashMap<String, String>();
    for (int i = 0; i < 20; i++) attributes.put("a" + i, "ä".repeat(Subject.MAX_VALUE_LENGTH));
    var list =
        new CallerList(
            0,
            1,
            3,
            0,
            60,
            List.of(
                CallerStatsFixtures.caller("first", attributes, 30),
                CallerStatsFixtures.caller("second", attributes, 20),
                CallerStatsFixtures.caller("third", 10, 0)));
    var read = CallerCodec.decode(CallerCodec.encode(list)).orElseThrow();
    assertThat(read.callers()).extracting(CallerStats::caller).containsExactly("first", "third");
    assertThat(read.floor()).isEqualTo(20);
  }

  @Test
  void denyingRulesTakePrecedenceOverDecidingRules() {
    var callers = new TopCallers(10, START);
    count(callers, START, Subject.of("k"), 1, 0, "decides");
    assertThat(callers.find("k").orElseThrow().rules()).containsExactly("decides");
    count(callers, START, Subject.of("k"), 0, 1, "first");
    count(callers, START, Subject.of("k"), 0, 1, "second");
    assertThat(callers.find("k").orElseThrow().rules()).containsExactly("second", "first");
  }

  @Test
  void callerHasOneNameWhateverItsOtherAttributes() {
    var callers = new TopCallers(10, START);
    count(callers, START, Subject.of(Map.of("user", "42", "path", "/a")), 1, 0, "a");
    count(callers, START, Subject.of(Map.of("user", "42", "ip", "192.0.2.1")), 1, 0, "b");
    count(callers, START, Subject.of(Map.of("ip", "::ffff:192.0.2.1")), 1, 0, "b");
    count(callers, START, Subject.of(Map.of("ip", "192.0.2.1", "path", "/a")), 1, 0, "b");
    count(callers, START, Subject.of("path", "/a"), 1, 0, "c");
    assertThat(callers.list().stream().map(CallerStats::caller))
        .containsExactlyInAnyOrder("user=42", "ip=192.0.2.1", CallerNaming.UNNAMED);
  }

  @Test
  void namesWithEqualHashCodesDoNotCollide() {
    var table = new CallerTable(START, 42);
    for (int i = 0; i < CallerTable.MAX_CALLERS; i++) {
      var name = new StringBuilder(); // all names have the same hashCode
      for (int bit = 0; bit < 10; bit++) name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      table.find("key", name.toString(), Subject.of(name.toString()), "").allowed++;
    }
    assertThat(table.isFull()).isTrue();
    assertThat(table.all()).hasSize(CallerTable.MAX_CALLERS).allMatch(seen -> seen.allowed == 1);
    assertThat(table.longestRun()).isLessThan(64);
  }

  @Test
  void encodedListRoundTripsAndInvalidBytesAreRejected() {
    var list =
        new CallerList(
            5_000,
            1,
            2,
            0.5,
            30,
            java.util.List.of(
                CallerStatsFixtures.caller("user:ä", 20, 1),
                CallerStatsFixtures.caller("b", 10, 0)));
    byte[] encoded = CallerCodec.encode(list);
    assertThat(CallerCodec.decode(encoded)).hasValue(list);
    for (int cut = 0; cut < encoded.length; cut++) {
      assertThat(CallerCodec.decode(Arrays.copyOf(encoded, cut))).as("of %d", cut).isEmpty();
    }
    assertThat(CallerCodec.decode(new byte[CallerCodec.MAX_BYTES + 1])).isEmpty();
    var many =
        java.util.stream.IntStream.range(0, 2_000)
            .mapToObj(i -> CallerStatsFixtures.caller("x".repeat(900) + i, i, 0))
            .toList();
    byte[] bounded = CallerCodec.encode(new CallerList(0, 1, 2_000, 0, 1_999_000, many));
    assertThat(bounded.length).isLessThanOrEqualTo(CallerCodec.MAX_BYTES);
    var read = CallerCodec.decode(bounded).orElseThrow();
    assertThat(read.callers()).isNotEmpty();
    double least = read.callers().stream().mapToDouble(CallerStats::all).min().orElseThrow();
    assertThat(read.floor()).isEqualTo(least - 1);
  }
}
