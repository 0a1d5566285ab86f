package io.headgate.redis;

import io.headgate.testkit.redis.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

final class Links {
  static DirectLink to(RedisServer server) {
    var client = RedisClient.create();
    client.setOptions(ClientOptions.builder().autoReconnect(false).build());
    var link =
        new DirectLink(
            client,
            RedisURI.create(server.uri()),
            server.uri(),
            "headgate:forgotten".getBytes(StandardCharsets.UTF_8),
            Executors.newSingleThreadScheduledExecutor());
    link.connect().toCompletableFuture().join();
    return link;
  }
}
