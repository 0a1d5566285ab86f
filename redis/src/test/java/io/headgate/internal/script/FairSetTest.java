package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.Outcome;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ManualTicker;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sorted set of a limit that tenants share fairly: its work, its size and its expiry. */
class FairSetTest {
  private static final String KEY = "f:{k}rule";
  private static final Pattern CALLS = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)");
  private static TestServer redis;

  private final ManualTicker clock = ManualTicker.create();
  private final ScriptExecutor executor = redis.executor("f:", clock);

  @BeforeAll
  static void start() {
    redis = TestServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void flush() {
    redis.flush();
  }

  @AfterEach
  void close() {
    executor.close();
  }

  @Test
  void commandsOfACheckDoNotDependOnTheNumberOfTenants() {
    for (int i = 0; i < 1_000; i++) check(executor, 1_000, i, 1);
    clock.sleep(1_500_000); // all debts are repaid
    for (int i = 0; i < 1_000; i++) {
      clock.sleep(500);
      redis.server().call("CONFIG", "RESETSTAT");
      check(executor, 1_000, i, 1);
      assertThat(commands()).as("check %d", i).isLessThanOrEqualTo(8);
    }
  }

  /** A refused request stores the debts that have ended, so that the next ones do not end them. */
  @Test
  void endedDebtsAreReadOnceThoughRequestsAreRefused() {
    check(executor, 1_000, 0, 900);
    for (int i = 1; i <= 90; i++) check(executor, 1_000, i, 1);
    clock.sleep(500_000); // 90 debts have ended, that of tenant 0 has not
    assertThat(check(executor, 1_000, 0, 500)).isInstanceOf(Outcome.Refused.class);
    redis.server().call("CONFIG", "RESETSTAT");
    clock.sleep(1);
    assertThat(check(executor, 1_000, 0, 500)).isInstanceOf(Outcome.Refused.class);
    assertThat(commands()).isLessThanOrEqualTo(4);
  }

  @Test
  void inactiveTenantsAreDropped() {
    for (int i = 0; i < 2_500; i++) {
      clock.sleep(2_000);
      check(executor, 1_000, i, 1);
    }
    // 500 tenants in each second, of which those of one to two seconds are active.
    assertThat(redis.server().call("ZCARD", KEY).number()).isBetween(501L, 1_600L);
    clock.sleep(10_000_000);
    for (int i = 0; i < 250; i++) check(executor, 1_000, i % 5, 1);
    assertThat(redis.server().call("ZCARD", KEY).number()).isEqualTo(5 + 1);
  }

  /** Earlier versions stored one MessagePack array with all tenants. */
  @Test
  void stateOfAnEarlierVersionKeepsTheDebtOfThePool() {
    long refillTime = 1_000_000;
    long emptyAt = clock.micros() + 900_000; // 900 of 1,000 permits are in use
    long full = 1_000L << 20;
    var write =
        """
        redis.call('SET', KEYS[1], cmsgpack.pack({7, tonumber(ARGV[1]), 0, tonumber(ARGV[2]),
          tonumber(ARGV[3]), tonumber(ARGV[1]) - 900000, 0, 0, 0, 't1', 1, 943718400}))
        """;
    redis.server().call("EVAL", write, "1", KEY, "" + emptyAt, "" + refillTime, "" + full);
    assertThat(check(executor, 1_000, 2, 101)).isInstanceOf(Outcome.Refused.class);
    assertThat(check(executor, 1_000, 1, 100)).isInstanceOf(Outcome.Passed.class);
    assertThat(check(executor, 1_000, 2, 1)).isInstanceOf(Outcome.Refused.class);
    assertThat(redis.server().call("TYPE", KEY).text()).isEqualTo("zset");
  }

  @Test
  void setExpiresAfterNoTenantIsActive() {
    var byServerClock = redis.executor("f:");
    for (int i = 0; i < 3; i++) {
      long reset = check(byServerClock, 1, i, 1).resetAfter() / 1_000;
      assertThat(redis.server().call("PTTL", KEY).number())
          .isBetween(reset + 20_000, reset + 32_000);
    }
    byServerClock.close();
  }

  private static long commands() {
    var calls = CALLS.matcher(redis.server().call("INFO", "commandstats").text());
    long sum = 0;
    while (calls.find()) {
      boolean isByTest = calls.group(1).matches("evalsha|config.*|info");
      if (!isByTest) sum += Long.parseLong(calls.group(2));
    }
    return sum;
  }

  private static Outcome check(ScriptExecutor executor, long rate, int tenant, long cost) {
    var bucket = TokenBucket.of(Rate.perSecond(rate)).withBurst(Math.max(rate, 10));
    var limit = new FairShare(bucket, FairSharing.among("tenant"));
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    var subject = Subject.of("k").with("tenant", "t" + tenant);
    return executor.decide(rules.plan(Request.of(subject, cost), 0, 0)).first();
  }
}
