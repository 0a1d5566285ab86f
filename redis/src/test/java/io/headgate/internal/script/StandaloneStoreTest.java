package io.headgate.internal.script;

import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class StandaloneStoreTest extends StoreContract {
  private static TestServer redis;

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
