package io.headgate.benchmarks.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.benchmarks.HoldableLimit;
import io.headgate.benchmarks.TrafficPattern;
import io.headgate.rule.Consistency;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the aims of the consistency modes with five instances, in virtual time. */
class VirtualAimsTest {
  private static VirtualRun.Result measure(
      TrafficPattern traffic, HoldableLimit limit, Consistency mode, int seconds) {
    return new VirtualRun(5, traffic, limit, mode, Duration.ofSeconds(seconds)).measure();
  }

  /** Without the deadlines of reports, a sliding window denies 6% wrongly at its limit. */
  @ParameterizedTest
  @CsvSource({
    "STEADY, TOKEN_BUCKET, 0, 0.03",
    "STEADY, FIXED_WINDOW, 0.012, 0.08",
    "STEADY, SLIDING_WINDOW, 0.02, 0.25",
    "OVERLOAD, TOKEN_BUCKET, 0.01, 0.05",
    "OVERLOAD, FIXED_WINDOW, 0.001, 0.02",
    "OVERLOAD, SLIDING_WINDOW, 0.001, 0.06",
    "BURSTS, TOKEN_BUCKET, 0.01, 0.05",
    "BURSTS, SLIDING_WINDOW, 0.02, 0.08",
    "EDGES, TOKEN_BUCKET, 0.01, 0.05",
    "EDGES, SLIDING_WINDOW, 0.02, 0.08"
  })
  void leasesDenyFewRequestsWronglyAndOverAdmitNone(
      TrafficPattern traffic, HoldableLimit limit, double wronglyDenied, double commands) {
    var result = measure(traffic, limit, Consistency.LEASED, 3);
    assertThat(result.over()).isNotPositive();
    assertThat(result.wronglyDenied()).isLessThanOrEqualTo(wronglyDenied);
    assertThat(result.commandsPerCheck()).isLessThan(commands);
  }

  /** A caller that an instance sees for the first time costs a command, so a minute is measured. */
  @Test
  void leasesOfAMinuteSaveNineteenOfTwentyCommands() {
    var strict =
        measure(TrafficPattern.ZIPF_MINUTE, HoldableLimit.TOKEN_BUCKET, Consistency.STRICT, 60);
    var leased =
        measure(TrafficPattern.ZIPF_MINUTE, HoldableLimit.TOKEN_BUCKET, Consistency.LEASED, 60);
    assertThat(leased.over()).isNotPositive();
    assertThat(leased.wronglyDenied()).isLessThan(0.01);
    assertThat(strict.commands()).isGreaterThan(20 * leased.commands());
  }

  @ParameterizedTest
  @EnumSource(names = "TOKEN_BUCKET", mode = EnumSource.Mode.EXCLUDE)
  void eventualWindowsAdmitAFewPercentTooMuch(HoldableLimit window) {
    var result = measure(TrafficPattern.OVERLOAD, window, Consistency.EVENTUAL, 3);
    assertThat(result.admittedShare()).isBetween(1.0, 1.05);
  }

  @ParameterizedTest
  @EnumSource
  void strictDecisionsAreThoseOfTheOracle(HoldableLimit limit) {
    var result = measure(TrafficPattern.OVERLOAD, limit, Consistency.STRICT, 1);
    assertThat(result.wronglyDenied()).isZero();
    assertThat(result.over()).isNotPositive();
  }
}
