package io.headgate.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.testkit.redis.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Measures a Redis server and this process while callers run. */
record RedisGauge(RedisServer server, Callers callers) {
  private static final List<String> SCRIPT_CALLS = List.of("eval", "evalsha");

  /**
   * The measurements of one turn.
   *
   * @param perCall decisions per script execution
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
    double redis = server.cpuSeconds() * 1e6;
    double client = clientMicros();
    long calls = scriptCalls();
    var outcome = callers.run(remote, keys, time);
    double n = outcome.decisions();
    return new Turn(
        n / outcome.took().toNanos() * 1e9,
        (clientMicros() - client) / n,
        (server.cpuSeconds() * 1e6 - redis) / n,
        outcome.latencies().getValueAtPercentile(50) / 1e3,
        outcome.latencies().getValueAtPercentile(99) / 1e3,
        n / (scriptCalls() - calls),
        outcome.passed() / n);
  }

  private static double clientMicros() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e3;
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
    return server.info("memory", "used_memory");
  }

  void empty() {
    server.call("FLUSHALL", "SYNC");
  }
}
