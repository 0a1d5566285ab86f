package io.headgate.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs benchmarks one after another, each in new JVMs, and collects the results of JMH. */
public final class Jmh {
  private static final String COLLECTOR = "-XX:+UseG1GC";

  private final Effort effort;
  private final ProgressLog progress;
  private final Path raw;
  private final List<RunResult> results = new ArrayList<>();

  Jmh(Effort effort, ProgressLog progress, Path raw) {
    this.effort = effort;
    this.progress = progress;
    this.raw = raw;
  }

  /** One benchmark method and its settings. */
  record Call(Class<?> benchmark, String method, int threads, String heap, List<Param> params) {
    record Param(String name, String value) {}

    static Call of(Class<?> benchmark, String method) {
      return new Call(benchmark, method, 1, "1g", List.of());
    }

    Call with(String param, Object value) {
      var more = new ArrayList<>(params);
      more.add(new Param(param, value.toString()));
      return new Call(benchmark, method, threads, heap, more);
    }

    Call threads(int count) {
      return new Call(benchmark, method, count, heap, params);
    }

    Call heap(String size) {
      return new Call(benchmark, method, threads, size, params);
    }

    @Override
    public String toString() {
      var text = new StringBuilder(benchmark.getSimpleName()).append('.').append(method);
      for (var param : params) text.append(' ').append(param.value());
      return text.append(threads == 1 ? "" : ", %d threads".formatted(threads)).toString();
    }
  }

  /** Measures the time of one request per thread, in the benchmark's unit. */
  Measurement measure(Call call) {
    var options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(call.benchmark().getName() + "." + call.method()) + "$")
            .threads(call.threads())
            .forks(effort.forks)
            .warmupIterations(effort.warmUps)
            .warmupTime(TimeValue.milliseconds(effort.warmUpMillis))
            .measurementIterations(effort.iterations)
            .measurementTime(TimeValue.milliseconds(effort.millis))
            .jvmArgs("-Xms" + call.heap(), "-Xmx" + call.heap(), COLLECTOR)
            .shouldFailOnError(true)
            .output(raw.resolve("jmh.log").toString());
    for (var param : call.params()) options.param(param.name(), param.value());
    try {
      var result = new Runner(options.build()).runSingle();
      results.add(result);
      var measured = Measurement.of(turns(result));
      progress.log(
          "  %s: %s %s".formatted(call, measured, result.getPrimaryResult().getScoreUnit()));
      return measured;
    } catch (RunnerException e) {
      throw new IllegalStateException(
          "%s failed; see %s".formatted(call, raw.resolve("jmh.log")), e);
    }
  }

  private static double[] turns(RunResult result) {
    return result.getBenchmarkResults().stream()
        .flatMap(fork -> fork.getIterationResults().stream())
        .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
        .toArray();
  }

  /** Writes the results since the last call as JMH's JSON. */
  void writeRaw(String name) {
    if (results.isEmpty()) return;
    try (var out =
        new PrintStream(
            Files.newOutputStream(raw.resolve(name + ".json")), false, StandardCharsets.UTF_8)) {
      ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(results);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    results.clear();
  }
}
