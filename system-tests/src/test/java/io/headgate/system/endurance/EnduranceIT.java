package io.headgate.system.endurance;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.system.endurance.EnduranceRun.Settings;
import io.headgate.testkit.ReleaseSeed;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drives two instances of the packaged program for long, and compares what they hold at the end
 * with the start. The build runs it briefly; {@code ./endurance} runs all stores and heaps, with
 * the system properties {@code headgate.endurance.…}.
 */
class EnduranceIT {
  private static final String MINUTES = "headgate.endurance.minutes";
  private static final Duration BRIEF = Duration.ofSeconds(30);
  private static final PrintStream OUT = System.out;

  @TempDir Path folder;

  @Test
  void brieflyLongConnectionsOverRedisHoldNothing() throws Exception {
    var result =
        run(new Settings(TestedStore.Kind.REDIS, "256m", BRIEF, true, ReleaseSeed.of("endurance")));
    assertThat(report(List.of(result))).isEmpty();
  }

  @Test
  @EnabledIfSystemProperty(named = MINUTES, matches = ".+")
  void longConnectionsHoldNothing() throws Exception {
    long seed = Long.parseLong(System.getProperty("headgate.endurance.seed"));
    OUT.println("endurance: seed " + seed);
    var settings = new ArrayList<Settings>();
    double minutes = Double.parseDouble(System.getProperty(MINUTES));
    var stores = System.getProperty("headgate.endurance.stores").split(",", -1);
    var heaps = System.getProperty("headgate.endurance.heaps").split(",", -1);
    var each = Duration.ofMillis((long) (minutes * 60_000 / (stores.length * heaps.length)));
    for (var store : stores) {
      for (var heap : heaps) settings.add(new Settings(kind(store), heap, each, false, seed));
    }
    var results = new ArrayList<EnduranceResult>();
    for (var one : settings) results.add(run(one));
    assertThat(report(results)).isEmpty();
  }

  private static TestedStore.Kind kind(String name) {
    return Arrays.stream(TestedStore.Kind.values())
        .filter(kind -> kind.toString().equals(name.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no store '" + name + "'"));
  }

  private EnduranceResult run(Settings settings) throws Exception {
    var own = folder.resolve(settings.store() + "-" + settings.heap());
    try (var run = new EnduranceRun(settings, own, OUT::println)) {
      return run.run();
    }
  }

  /** Prints the table and returns what failed. */
  private static List<String> report(List<EnduranceResult> results) {
    OUT.println();
    OUT.println(EnduranceResult.HEAD);
    results.forEach(result -> result.rows().forEach(OUT::println));
    var failures = new ArrayList<String>();
    for (var result : results) {
      result.failures().stream()
          .map(line ->
              "%s, heap %s: %s"
                  .formatted(result.settings().store(), result.settings().heap(), line))
          .forEach(failures::add);
    }
    failures.forEach(line -> OUT.println("FAILED " + line));
    return failures;
  }
}
