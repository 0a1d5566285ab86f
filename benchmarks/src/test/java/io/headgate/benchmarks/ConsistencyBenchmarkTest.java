package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConsistencyBenchmarkTest {
  @ParameterizedTest
  @EnumSource
  void checkPassesInEveryMode(ConsistencyBenchmark.StoreMode mode) throws InterruptedException {
    assumeTrue(Redis.isInstalled(), "redis-server is not on the PATH (Debian's: redis-server)");
    var benchmark = new ConsistencyBenchmark();
    benchmark.mode = mode;
    try {
      benchmark.setUp();
      assertThat(benchmark.check()).isTrue();
    } finally {
      benchmark.tearDown();
    }
  }
}
