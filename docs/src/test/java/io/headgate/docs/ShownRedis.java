package io.headgate.docs;

import io.headgate.testkit.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis in place of the one that pages speak of, at the port where one usually is. Started
 * by the first example that needs it.
 */
final class ShownRedis implements AutoCloseable {
  private static final String SHOWN = "127.0.0.1:6379";

  private @Nullable RedisServer server;

  /** The example, with the real place. */
  String in(String example) {
    if (!example.contains(SHOWN)) return example;
    if (server == null) server = RedisServer.start();
    return example.replace(SHOWN, place(server));
  }

  /** What an example printed, with the place that the page shows. */
  String shown(String printed) {
    return server == null ? printed : printed.replace(place(server), SHOWN);
  }

  private static String place(RedisServer server) {
    return "127.0.0.1:" + server.port();
  }

  @Override
  public void close() {
    if (server != null) server.close();
  }
}
