package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import io.headgate.testkit.StoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis 6.2, the oldest that is supported; the server comes from a jar made for tests. */
class OldestRedisTest extends StoreContract {
  private static final String PROGRAM = "redis-server-6.2.6-v5-linux-amd64";

  private static final String NARROW_PACK =
      "function(format, number) return struct.wide(format, number % 4294967296) end";
  private static final Subject CALLER = Subject.of("key", "k");
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("rule").match("key", "*").limit(FixedWindow.of(Rate.perSecond(1))).build());

  @TempDir private static Path directory;
  private static OneServer redis;

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
    redis = OneServer.startProgram(program);
  }

  @AfterAll
  static void stop() {
    if (redis != null) redis.close();
  }

  @Test
  void theServerIsAsOldAsItShouldBe() {
    assertThat(redis.server().call("INFO", "server").text()).contains("redis_version:6.2.");
  }

  /**
   * Redis 6.2 lets a script replace the functions of a library: here by those of a 32-bit build.
   */
  @Test
  void aServerWhoseScriptsTruncateNumbersIsRefused() {
    redis.server().call("SCRIPT", "FLUSH");
    redis.server().call("EVAL", "struct.wide = struct.pack struct.pack = " + NARROW_PACK, "0");
    try (var engine = redis.engine("narrow:")) {
      var limiter = RateLimiter.with(engine, RULES);
      assertThatThrownBy(() -> limiter.decide(Request.of(CALLER)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("32-bit build");
      redis.server().call("EVAL", "struct.pack = struct.wide", "0");
      assertThat(limiter.decide(Request.of(CALLER)).isAllowed()).isTrue();
    }
  }

  @Override
  protected Store open(Ticker ticker) {
    redis.empty();
    return redis.engine("headgate:", ticker);
  }
}
