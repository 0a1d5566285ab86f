package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.StoreContract;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis 6.2, the oldest that is supported; the server comes from a jar made for tests. */
class OldestRedisTest extends StoreContract {
  private static final String PROGRAM = "redis-server-6.2.6-v5-linux-amd64";

  @TempDir private static Path directory;
  private static RedisServer server;
  private static Clients clients;
  private static Link link;

  @BeforeAll
  static void start() throws IOException {
    boolean runs =
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64");
    assumeTrue(runs, PROGRAM + " does not run on this kind of machine");
    var program = directory.resolve("redis-server");
    try (var in = OldestRedisTest.class.getResourceAsStream("/" + PROGRAM)) {
      Files.copy(in, program);
    }
    assertThat(program.toFile().setExecutable(true)).isTrue();
    server = RedisServer.startProgram(program);
    clients = new Clients(RedisOptions.of(server.uri()));
    link = clients.link();
  }

  @AfterAll
  static void stop() {
    if (server == null) return;
    link.close();
    clients.close();
    server.close();
  }

  @Test
  void theServerIsAsOldAsItShouldBe() {
    assertThat(server.call("INFO", "server").text()).contains("redis_version:6.2.");
  }

  @Override
  protected Store open(Ticker ticker) {
    server.call("FLUSHALL");
    return new Engine(
        Links.shared(link), new Keys("headgate:"), Duration.ofSeconds(10), ticker::micros);
  }
}
