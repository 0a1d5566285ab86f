package io.headgate.server.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.RedisServerInfo;
import io.headgate.server.cli.doctor.Finding.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisCheckTest {
  private static final Duration FAST = Duration.ofMillis(1);

  @Test
  void fastServerOfASupportedVersionIsFine() {
    assertThat(levels(info("7.0.15", FAST, Duration.ZERO))).containsExactly(Level.OK);
  }

  @ParameterizedTest
  @CsvSource({"6.0.16, true", "6.2.0, false", "5.0.7, true", "8.1.0, false", "unstable, false"})
  void versionsBefore62AreAProblem(String version, boolean tooOld) {
    assertThat(levels(info(version, FAST, Duration.ZERO)).contains(Level.PROBLEM))
        .isEqualTo(tooOld);
  }

  @Test
  void roundTripNearTheTimeoutIsAWarning() {
    var findings = RedisCheck.of(info("7.0.15", Duration.ofMillis(20), Duration.ZERO), timeout());
    assertThat(findings).hasSize(2);
    assertThat(findings.getLast().text()).contains("takes 20.0 ms, and --store-timeout is 50.0 ms");
  }

  @Test
  void clockThatDiffersIsAWarning() {
    var findings = RedisCheck.of(info("7.0.15", FAST, Duration.ofSeconds(-3)), timeout());
    assertThat(findings.getLast().text()).contains("is 3000.0 ms behind this machine's");
    assertThat(findings.getLast().level()).isEqualTo(Level.WARNING);
  }

  private static List<Level> levels(RedisServerInfo info) {
    return RedisCheck.of(info, timeout()).stream().map(Finding::level).toList();
  }

  private static Duration timeout() {
    return Duration.ofMillis(50);
  }

  private static RedisServerInfo info(String version, Duration roundTrip, Duration ahead) {
    return new RedisServerInfo(
        "10.0.0.5:6379",
        Optional.of(version),
        Optional.of("noeviction"),
        OptionalLong.of(0),
        roundTrip,
        ahead);
  }
}
