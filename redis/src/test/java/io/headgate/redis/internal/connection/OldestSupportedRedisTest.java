package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.internal.script.RedisStoreContract;
import io.headgate.internal.script.TestServer;
import io.headgate.redis.KeyLayout;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.TestEffort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the store contract on Redis 6.2, the oldest supported version, from a test dependency. */
class OldestSupportedRedisTest extends RedisStoreContract {
  private static final String PROGRAM = "redis-server-6.2.6-v5-linux-amd64";

  private static final String NARROW_PACK =
      """
      local wide = struct
      local struct = {
        pack = function(format, number) return wide.pack(format, number % 4294967296) end,
        unpack = wide.unpack
      }
      """;

  @TempDir private static Path directory;
  private static TestServer redis;

  @Override
  protected int historyLength() {
    return TestEffort.of(
        250, 500); // StandaloneStoreTest plays the full length with the same script
  }

  @BeforeAll
  static void start() throws IOException {
    redis = TestServer.startProgram(program(directory), KeyLayout.SEPARATE);
  }

  /** Writes the program into a directory; aborts the tests where it does not run. */
  static Path program(Path directory) throws IOException {
    boolean runs =
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64");
    assumeTrue(runs, PROGRAM + " does not run on this platform");
    var program = directory.resolve("redis-server");
    try (var in = OldestSupportedRedisTest.class.getResourceAsStream("/" + PROGRAM)) {
      Files.copy(in, program);
    }
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return program;
  }

  @AfterAll
  static void stop() {
    if (redis != null) redis.close();
  }

  @Test
  void serverHasTheOldestSupportedVersion() {
    assertThat(redis.server().call("INFO", "server").text()).contains("redis_version:6.2.");
  }

  /** The struct library of a 32-bit build keeps only the lower 32 bits. */
  @Test
  void scriptsThatTruncateNumbersAreDetected() {
    var check = Script.WIDE_NUMBERS.text();
    assertThat(redis.server().call("EVAL", check, "0").number()).isEqualTo(1);
    assertThat(redis.server().call("EVAL", NARROW_PACK + check, "0").number()).isEqualTo(0);
  }

  @Override
  protected Store open(Ticker ticker) {
    redis.flush();
    return redis.executor("headgate:", ticker);
  }
}
