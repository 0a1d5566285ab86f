package io.headgate.redis;

import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.redis.internal.script.Batch;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.store.Ticker;
import io.headgate.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;

/** A server of the test's own, and one link to it that many engines may use. */
record OneServer(RedisServer server, LettuceClients clients, RedisConnection link)
    implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  static OneServer start() {
    return of(RedisServer.start());
  }

  static OneServer startProgram(Path program) {
    return of(RedisServer.startProgram(program));
  }

  private static OneServer of(RedisServer server) {
    var clients = new LettuceClients(RedisOptions.of(server.uri()));
    return new OneServer(server, clients, clients.link());
  }

  /** Goes by the server's clock. */
  ScriptExecutor engine(String prefix) {
    return new ScriptExecutor(
        Links.shared(link), new RedisKeys(prefix), PATIENCE, ScriptExecutor.SERVER_CLOCK);
  }

  ScriptExecutor engine(String prefix, Ticker clock) {
    return new ScriptExecutor(Links.shared(link), new RedisKeys(prefix), PATIENCE, clock::micros);
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
