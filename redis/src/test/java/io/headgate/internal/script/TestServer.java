package io.headgate.internal.script;

import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.TestConnections;
import io.headgate.store.Ticker;
import io.headgate.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;

/** A Redis server for a test, with one connection that several executors share. */
public record TestServer(RedisServer server, LettuceClients clients, RedisConnection connection)
    implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  public static TestServer start() {
    return start(KeyLayout.SEPARATE);
  }

  /**
   * Starts a server in a layout. In the layout compact all counters of a subject share a key, so
   * that tests of rules with one limit use it.
   */
  public static TestServer start(KeyLayout layout) {
    return of(RedisServer.start(), layout);
  }

  /** Starts a server of a program; as {@link #start(KeyLayout)}. */
  public static TestServer startProgram(Path program, KeyLayout layout) {
    return of(RedisServer.startProgram(program), layout);
  }

  private static TestServer of(RedisServer server, KeyLayout layout) {
    var plain = connect(server, layout);
    return switch (layout) {
      case SEPARATE -> plain;
      case COMPACT ->
          new TestServer(server, plain.clients, TestConnections.sharingKeys(plain.connection));
    };
  }

  /** Connects to a server, which is closed with the returned one. */
  static TestServer connect(RedisServer server, KeyLayout layout) {
    var options = RedisOptions.builder(server.uri()).layout(layout).build();
    var clients = new LettuceClients(options);
    return new TestServer(server, clients, clients.connect());
  }

  /** Returns an executor that uses the server's clock. */
  public ScriptExecutor executor(String prefix) {
    return ScriptExecutor.withClock(
        TestConnections.shared(connection),
        new CounterKeys(prefix),
        TIMEOUT,
        ScriptExecutor.SERVER_CLOCK);
  }

  public ScriptExecutor executor(String prefix, Ticker clock) {
    return ScriptExecutor.withClock(
        TestConnections.shared(connection), new CounterKeys(prefix), TIMEOUT, clock::micros);
  }

  /** Evaluates a batch at a given time; returns the reply. */
  byte[] decide(Batch batch, long now) {
    return connection.decide(batch.keys(), batch.argument(now, now)).toCompletableFuture().join();
  }

  /** Deletes a counter. */
  void delete(byte[] key) {
    connection.reset(key).toCompletableFuture().join();
  }

  public void flush() {
    server.call("FLUSHALL");
  }

  @Override
  public void close() {
    connection.close();
    clients.close();
    server.close();
  }
}
