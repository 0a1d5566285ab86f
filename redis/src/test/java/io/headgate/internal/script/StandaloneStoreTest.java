package io.headgate.internal.script;

import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.TestEffort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class StandaloneStoreTest extends RedisStoreContract {
  private static TestServer redis;

  @Override
  protected int historyLength() {
    return TestEffort.of(500, 2_000);
  }

  @BeforeAll
  static void start() {
    redis = TestServer.start();
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
