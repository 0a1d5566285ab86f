package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.rule.Consistency;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that accuracy can be measured, and that strict decisions are exact. */
class AccuracyTest {
  @Test
  void everyModeIsMeasuredAndOnlyEventualOverAdmits() throws Exception {
    assumeTrue(Redis.isInstalled(), "redis-server is not on the PATH (Debian's: redis-server)");
    var runs = new ArrayList<AccuracyRun>();
    for (var consistency : Consistency.values()) {
      var limit = HoldableLimit.TOKEN_BUCKET;
      runs.add(
          new AccuracyRun(2, TrafficPattern.OVERLOAD, limit, consistency, Duration.ofMillis(500)));
    }
    var results = Accuracy.results(new ProgressLog(), new Accuracy.Plan(runs, 0));
    assertThat(results).extracting(AccuracyResult::run).isEqualTo(runs);
    for (var result : results) {
      assertThat(result.offered()).isEqualTo(1_500);
      if (result.run().consistency() != Consistency.EVENTUAL) {
        assertThat(result.over()).isNotPositive();
      }
      assertThat(result.admitted()).isPositive();
      assertThat(result.commands()).isPositive();
    }
    assertThat(AccuracyReport.of(results))
        .contains("| 2, token bucket | strict |", "| leased |", "| eventual |", "| auto |");
    assertThat(AccuracyPicture.svg(results)).contains("2 instances", "class=\"eventual\"");
  }

  @ParameterizedTest
  @EnumSource
  void trafficIsReproducibleAndReachesEveryInstance(TrafficPattern traffic, @TempDir Path directory)
      throws IOException {
    var time = Duration.ofSeconds(2);
    var trace = traffic.record(7, 3, time);
    assertThat(traffic.record(7, 3, time)).isEqualTo(trace);
    trace.write(directory.resolve("trace"));
    assertThat(RecordedArrivals.read(directory.resolve("trace"))).isEqualTo(trace);
    var callers = new HashSet<Integer>();
    for (var arrival : trace.arrivals()) {
      assertThat(arrival.at()).isBetween(0, 2_000_000);
      callers.add(arrival.caller());
    }
    assertThat(callers.size()).isBetween(traffic.callers * 3 / 4, traffic.callers);
    int parts = 0;
    for (int instance = 0; instance < 3; instance++) {
      assertThat(trace.of(instance)).isNotEmpty();
      parts += trace.of(instance).size();
    }
    assertThat(parts).isEqualTo(trace.arrivals().size());
  }

  @ParameterizedTest
  @EnumSource
  void everyTrafficPatternIsMeasured(Effort effort) {
    var tried = Accuracy.Plan.of(effort).runs().stream().map(AccuracyRun::traffic).distinct();
    if (effort == Effort.FULL)
      assertThat(tried).containsAll(Arrays.asList(TrafficPattern.values()));
    else assertThat(tried).isNotEmpty();
  }
}
