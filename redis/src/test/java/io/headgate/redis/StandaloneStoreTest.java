package io.headgate.redis;

import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.StoreContract;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class StandaloneStoreTest extends StoreContract {
  private static RedisServer server;
  private static Clients clients;
  private static Link link;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    clients = new Clients(RedisOptions.of(server.uri()));
    link = clients.link();
  }

  @AfterAll
  static void stop() {
    link.close();
    clients.close();
    server.close();
  }

  @Override
  protected Store open(Ticker ticker) {
    server.call("FLUSHALL");
    return new Engine(
        Links.shared(link), new Keys("headgate:"), Duration.ofSeconds(10), ticker::micros);
  }
}
