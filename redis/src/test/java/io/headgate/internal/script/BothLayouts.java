package io.headgate.internal.script;

import io.headgate.redis.KeyLayout;
import io.headgate.testkit.redis.RedisServer;

/** A Redis server for a test, with a connection of each layout of keys. */
record BothLayouts(RedisServer server, TestServer separate, TestServer compact)
    implements AutoCloseable {
  static BothLayouts start() {
    var server = RedisServer.start();
    return new BothLayouts(
        server,
        TestServer.connect(server, KeyLayout.SEPARATE),
        TestServer.connect(server, KeyLayout.COMPACT));
  }

  void flush() {
    compact.flush();
  }

  @Override
  public void close() {
    separate.connection().close();
    separate.clients().close();
    compact.close();
  }
}
