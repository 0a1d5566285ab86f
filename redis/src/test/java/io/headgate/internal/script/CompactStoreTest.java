package io.headgate.internal.script;

import io.headgate.redis.KeyLayout;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.TestEffort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Runs the store contract with counters that share keys. */
class CompactStoreTest extends RedisStoreContract {
  private static TestServer redis;

  @Override
  protected int historyLength() {
    return TestEffort.of(250, 500); // CompactParityTest plays longer histories
  }

  @BeforeAll
  static void start() {
    redis = TestServer.start(KeyLayout.COMPACT);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Override
  protected Store open(Ticker ticker) {
    redis.flush();
    return redis.executor("headgate:", ticker);
  }
}
