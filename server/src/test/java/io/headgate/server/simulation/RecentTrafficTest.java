package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RecentTrafficTest {
  private static final long SECOND = 1_000_000;

  private final AtomicLong clock = new AtomicLong(1_789_300_800_000_000L);
  private final RecentTraffic traffic = new RecentTraffic(clock::get, 1_000);
  private final TrafficRing ring = traffic.ring();

  private static Request request(int caller) {
    return Request.of(Subject.of("user:" + caller), caller + 1);
  }

  private static Map<String, Long> perCaller(RecentTraffic.Sample sample) {
    return sample.arrivals().stream()
        .collect(
            Collectors.groupingBy(a -> a.request().subject().toString(), Collectors.counting()));
  }

  @Test
  void fewerRequestsAreKeptInASmallHeap() {
    assertThat(RecentTraffic.maxRequests(128L << 20)).isEqualTo(4_096);
    assertThat(RecentTraffic.maxRequests(8L << 30)).isEqualTo(RecentTraffic.MAX_REQUESTS);
  }

  @Test
  void lightTrafficIsKeptCompletely() {
    for (int i = 0; i < 500; i++) {
      clock.addAndGet(SECOND / 10);
      ring.record(request(i % 7));
    }
    var sample = traffic.sample();
    assertThat(sample.weight()).isEqualTo(1);
    assertThat(sample.arrivals()).hasSize(500);
    assertThat(sample.arrivals().getLast().micros()).isEqualTo(clock.get());
    assertThat(sample.arrivals().getLast().request()).isEqualTo(request(499 % 7));
  }

  /** A caller is present with all its requests of the period, or with none. */
  @Test
  void heavyTrafficIsSampledByCaller() {
    var other = traffic.ring();
    var sent = new HashMap<String, Long>();
    for (int i = 0; i < 40_000; i++) {
      clock.addAndGet(SECOND / 100);
      int caller = i * 31 % 4_000;
      sent.merge("user:" + caller, 1L, Long::sum);
      (i % 2 == 0 ? ring : other).record(request(caller));
    }
    var sample = traffic.sample();
    assertThat(sample.weight()).isBetween(16.0, 256.0);
    assertThat(sample.arrivals()).hasSizeLessThanOrEqualTo(2_000).isNotEmpty();
    var kept = perCaller(sample);
    kept.forEach((caller, count) -> assertThat(count).as(caller).isEqualTo(sent.get(caller)));
    assertThat(sample.arrivals())
        .isSortedAccordingTo((a, b) -> Long.compare(a.micros(), b.micros()));
  }

  @Test
  void requestsOlderThanTenMinutesAreDropped() {
    ring.record(request(1));
    clock.addAndGet(601 * SECOND);
    ring.record(request(2));
    assertThat(perCaller(traffic.sample())).containsOnlyKeys("user:2");
  }

  @Test
  void samplingWidensAfterAFloodAndTheSampleHasOnlyCompleteCallers() {
    for (int i = 0; i < 20_000; i++) ring.record(request(i));
    double narrowed = traffic.sample().weight();
    assertThat(narrowed).isGreaterThan(8);
    for (int minute = 0; minute < 40; minute++) {
      clock.addAndGet(60 * SECOND);
      for (int i = 0; i < 500 && minute % 10 == 0; i++) ring.record(request(i));
      var kept = perCaller(traffic.sample());
      long sent = minute < 9 ? 2 : 1; // by then the flood was ten minutes ago
      for (int i = 0; i < 500; i++) {
        assertThat(kept.getOrDefault("user:" + i, sent)).as("minute " + minute).isEqualTo(sent);
      }
    }
    assertThat(traffic.sample().weight()).isLessThan(narrowed);
  }

  @Test
  void samplingWidensEvenIfNoCurrentCallerIsSampled() {
    for (int i = 0; i < 2_000_000; i++) ring.record(request(i));
    assertThat(traffic.sample().weight()).isGreaterThan(1_000);
    for (int i = 0; i < 60 * 1_024; i++) {
      clock.addAndGet(60 * SECOND / 1_024 + 1);
      ring.record(request(7));
    }
    assertThat(perCaller(traffic.sample())).containsKey("user:7");
  }

  @Test
  void fewBusyCallersAreKeptForAShorterCompletePeriod() {
    var other = traffic.ring();
    for (int i = 0; i < 10_000; i++) {
      clock.addAndGet(SECOND / 100);
      (i % 10 == 0 ? other : ring).record(request(i % 3));
    }
    var sample = traffic.sample();
    assertThat(sample.weight()).isEqualTo(1);
    long from = sample.arrivals().getFirst().micros();
    assertThat(from).isBetween(clock.get() - 13 * SECOND, clock.get() - 9 * SECOND);
    assertThat(sample.arrivals()).hasSize((int) ((clock.get() - from) / (SECOND / 100)) + 1);
  }

  @Test
  void requestsThatAreNotInTheSampleAreCounted() {
    var other = traffic.ring();
    for (int i = 0; i < 40_000; i++) {
      clock.addAndGet(SECOND / 100);
      (i % 2 == 0 ? ring : other).record(request(i * 31 % 4_000));
    }
    // The first requests are not known to be in the period until one of them is sampled.
    assertThat(traffic.sample().seen()).isBetween(38_000L, 40_000L);
    clock.addAndGet(300 * SECOND);
    assertThat(traffic.sample().seen()).isBetween(27_000L, 31_000L); // the last 300 s of 400 s
  }

  @Test
  void longSubjectIsCountedAndSkipped() {
    ring.record(request(1));
    ring.record(Request.of(Subject.of("x".repeat(1_000))));
    var sample = traffic.sample();
    assertThat(sample.arrivals()).hasSize(1);
    assertThat(sample.weight()).isEqualTo(2);
  }
}
