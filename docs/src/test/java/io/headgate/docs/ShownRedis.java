package io.headgate.docs;

import io.headgate.testkit.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the Redis address of the pages, with the default port, by that of a real server, which
 * is started by the first example that needs it.
 */
final class ShownRedis implements AutoCloseable {
  private static final String SHOWN = "127.0.0.1:6379";

  private @Nullable RedisServer server;

  /** Returns the example with the address of the real server. */
  String in(String example) {
    if (!example.contains(SHOWN)) return example;
    if (server == null) server = RedisServer.start();
    return example.replace(SHOWN, address(server));
  }

  /** Returns the output of an example with the address of the page. */
  String shown(String printed) {
    return server == null ? printed : printed.replace(address(server), SHOWN);
  }

  private static String address(RedisServer server) {
    return "127.0.0.1:" + server.port();
  }

  @Override
  public void close() {
    if (server != null) server.close();
  }
}
