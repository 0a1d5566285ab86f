package io.headgate.redis.internal.connection;

import io.headgate.internal.script.TestServer;
import io.headgate.redis.KeyLayout;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.SoleCallerContract;
import io.headgate.testkit.TestEffort;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the part of the store contract that has one caller with counters that share keys on Redis
 * 6.2, the oldest supported version. It executes each command of the script.
 */
class CompactOldestRedisTest extends SoleCallerContract {
  @TempDir private static Path directory;
  private static TestServer redis;

  @Override
  protected int historyLength() {
    return TestEffort.of(250, 500);
  }

  @BeforeAll
  static void start() throws IOException {
    redis = TestServer.startProgram(OldestSupportedRedisTest.program(directory), KeyLayout.COMPACT);
  }

  @AfterAll
  static void stop() {
    if (redis != null) redis.close();
  }

  @Override
  protected Store open(Ticker ticker) {
    redis.flush();
    return redis.executor("headgate:", ticker);
  }
}
