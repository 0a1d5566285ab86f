package io.headgate.redis;

import io.headgate.store.Ticker;
import io.headgate.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;

/** A server of the test's own, and one link to it that many engines may use. */
record OneServer(RedisServer server, Clients clients, Link link) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  static OneServer start() {
    return of(RedisServer.start());
  }

  static OneServer startProgram(Path program) {
    return of(RedisServer.startProgram(program));
  }

  private static OneServer of(RedisServer server) {
    var clients = new Clients(RedisOptions.of(server.uri()));
    return new OneServer(server, clients, clients.link());
  }

  /** Goes by the server's clock. */
  Engine engine(String prefix) {
    return new Engine(Links.shared(link), new Keys(prefix), PATIENCE, Engine.SERVER_CLOCK);
  }

  Engine engine(String prefix, Ticker clock) {
    return new Engine(Links.shared(link), new Keys(prefix), PATIENCE, clock::micros);
  }

  /** Decides a batch as if it were then. */
  byte[] decide(Batch batch, long now) {
    return link.decide(batch.keys(), batch.argument(now, now)).toCompletableFuture().join();
  }

  void empty() {
    server.call("FLUSHALL");
  }

  @Override
  public void close() {
    link.close();
    clients.close();
    server.close();
  }
}
