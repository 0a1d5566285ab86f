package io.headgate.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Tests that every benchmark runs; it does not check any speed. */
class BenchmarksTest {
  private static final List<Class<?>> BENCHMARKS =
      List.of(
          HotKeyBenchmark.class,
          ManyKeysBenchmark.class,
          AlgorithmBenchmark.class,
          RulesBenchmark.class,
          LoadingBenchmark.class,
          MetricsBenchmark.class,
          ReplyBenchmark.class,
          SheddingBenchmark.class);

  @Test
  void everyBenchmarkRunsWithEveryParameter(@TempDir Path directory) throws RunnerException {
    System.setProperty(
        "jmh.ignoreLock", "true"); // no results are used that other runs could disturb
    var options =
        new OptionsBuilder()
            .include("io\\.headgate\\.benchmarks\\..*")
            .exclude(
                ".*ConsistencyBenchmark.*") // needs a redis-server; see ConsistencyBenchmarkTest
            .param("count", "1000")
            .param("rules", "1", "100")
            .mode(Mode.SingleShotTime)
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .shouldFailOnError(true)
            .output(directory.resolve("jmh.log").toString())
            .build();
    var ran = new Runner(options).run().stream().map(result -> result.getParams().getBenchmark());
    assertThat(ran.distinct()).containsExactlyInAnyOrderElementsOf(methods());
  }

  private static List<String> methods() {
    return BENCHMARKS.stream().flatMap(BenchmarksTest::methods).toList();
  }

  private static Stream<String> methods(Class<?> benchmark) {
    return Arrays.stream(benchmark.getMethods())
        .filter(method -> method.isAnnotationPresent(Benchmark.class))
        .map(method -> benchmark.getName() + "." + method.getName());
  }

  @ParameterizedTest
  @EnumSource
  void countingTakesCpuTime(StatisticsCost.CallerMix callers) {
    assertThat(StatisticsCost.measure(callers, 1, 16_000).eventLoop().median())
        .isBetween(1.0, 100_000.0);
  }

  @Test
  void everyStoredKeyTakesHeap() throws IOException, InterruptedException {
    var limiters = Arrays.stream(MeasuredLimiter.values()).map(Enum::name).toList();
    // In this JVM, the memory that other tests release would be subtracted.
    var command =
        new ArrayList<>(
            List.of(
                BenchmarkContext.java(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                BenchmarkContext.classPath(),
                MemoryProbe.class.getName(),
                "20000"));
    command.addAll(limiters);
    try (var process = new Child(command)) {
      var lines = new String(process.output().readAllBytes(), UTF_8).lines().toList();
      assertThat(process.waitFor()).as("%s", lines).isZero();
      assertThat(lines)
          .hasSameSizeAs(limiters)
          .allSatisfy(bytes -> assertThat(Double.parseDouble(bytes)).isBetween(8.0, 2_000.0));
    }
  }
}
