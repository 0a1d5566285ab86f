package io.headgate.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.testkit.redis.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Watches a server and this process while callers ask. */
record RedisGauge(RedisServer server, Callers callers) {
  private static final List<String> SCRIPT_CALLS = List.of("eval", "evalsha");

  /**
   * What was seen in one turn.
   *
   * @param perCall decisions for each script that ran
   */
  record Turn(
      double perSecond,
      double clientMicros,
      double redisMicros,
      double medianMicros,
      double slowMicros,
      double perCall,
      double passedShare) {}

  Turn turn(Remote remote, Supplier<IntSupplier> keys, Duration time) throws Exception {
    double redis = redisMicros();
    double client = clientMicros();
    long calls = scriptCalls();
    var seen = callers.ask(remote, keys, time);
    double n = seen.decisions();
    return new Turn(
        n / seen.took().toNanos() * 1e9,
        (clientMicros() - client) / n,
        (redisMicros() - redis) / n,
        seen.latencies().getValueAtPercentile(50) / 1e3,
        seen.latencies().getValueAtPercentile(99) / 1e3,
        n / (scriptCalls() - calls),
        seen.passed() / n);
  }

  private static double clientMicros() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e3;
  }

  private double redisMicros() {
    double seconds = info("cpu", "used_cpu_user:") + info("cpu", "used_cpu_sys:");
    return seconds * 1e6;
  }

  private long scriptCalls() {
    return server
        .call("INFO", "commandstats")
        .text()
        .lines()
        .filter(line -> SCRIPT_CALLS.stream().anyMatch(c -> line.startsWith("cmdstat_" + c + ":")))
        .mapToLong(line -> Long.parseLong(line.replaceFirst("\\w+:calls=(\\d+),.*", "$1")))
        .sum();
  }

  double usedMemory() {
    return info("memory", "used_memory:");
  }

  void empty() {
    server.call("FLUSHALL", "SYNC");
  }

  private double info(String section, String name) {
    return server
        .call("INFO", section)
        .text()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("INFO %s lacks %s".formatted(section, name)));
  }
}
