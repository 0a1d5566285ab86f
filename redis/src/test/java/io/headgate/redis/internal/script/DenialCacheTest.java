package io.headgate.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisStore;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.ReferenceStore;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two instances and one server, through the public face. */
class DenialCacheTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Subject WHO = Subject.of("user:42");
  private static RedisServer server;

  private RateLimiter here;
  private RateLimiter there;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void open() {
    server.call("FLUSHALL");
    here = limiter(new TokenBucket(Rate.perHour(1)));
    there = limiter(new TokenBucket(Rate.perHour(1)));
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
  }

  @Test
  void whoIsOverTheLimitIsDeniedWithoutAskingAgain() {
    assertThat(here.check(WHO).isAllowed()).isTrue();
    awaitLocal(here);
    long before = commands();
    var result = here.checkForResult(Request.of(WHO));
    assertThat(result.isAllowed()).isFalse();
    assertThat(result.source()).isEqualTo(Source.CACHE);
    assertThat(commands()).isEqualTo(before);
  }

  @Test
  void aLocalDenialTellsTheSameTimesAsTheStores() {
    here.check(WHO);
    awaitLocal(here);
    var local = here.checkForResult(Request.of(WHO)).limit().orElseThrow();
    var peeked = here.peek(Request.of(WHO)).limit().orElseThrow();
    assertThat(local.remaining()).isEqualTo(peeked.remaining());
    assertThat(local.resetAfter()).isCloseTo(peeked.resetAfter(), Duration.ofSeconds(2));
  }

  @Test
  void aResetByAnotherInstanceIsSeen() {
    here.check(WHO);
    awaitLocal(here);
    there.reset(WHO, "rule");
    Eventually.holds("allowed again", SOON, () -> here.check(WHO).isAllowed());
  }

  /**
   * A cached denial lives for a second at most. One that ends sooner was ended by the message; a
   * busy machine may need several attempts to show it.
   */
  @Test
  void aReturnThatIsAnnouncedEndsACachedDenialBeforeItsTime() {
    boolean sooner = false;
    for (int attempt = 0; attempt < 50 && !sooner; attempt++) {
      here.check(WHO);
      awaitLocal(here);
      here.reset(WHO, "rule");
      here.check(WHO);
      long asked = System.nanoTime();
      if (here.checkForResult(Request.of(WHO)).source() != Source.STORE) continue;
      server.call("PUBLISH", "headgate:forgotten", "\u0001headgate:{user:42}rule");
      while (here.checkForResult(Request.of(WHO)).source() == Source.CACHE) Thread.onSpinWait();
      sooner = System.nanoTime() - asked < 900_000_000;
    }
    assertThat(sooner).isTrue();
  }

  @Test
  void permitsThatMayBeHeldElsewhereAreNotDeniedFromTheCache() {
    var rule = Rule.named("rule").match("key", "user:*").limit(new TokenBucket(Rate.perHour(1)));
    here.check(WHO);
    awaitLocal(here);
    here.replaceRules(RuleSet.of(rule.consistency(Consistency.AUTO).build()));
    for (int i = 0; i < 3; i++) {
      assertThat(here.checkForResult(Request.of(WHO)).source()).isEqualTo(Source.STORE);
    }
  }

  /** The store reads its clock while it decides: the moment at which a reset comes in between. */
  @Test
  void aResetThatOvertakesTheAnswerIsNotLost() {
    var resets = new AtomicBoolean();
    var denials = new AtomicReference<DenialCache>();
    var store =
        new ReferenceStore(() -> {
          if (resets.get()) denials.get().forget("k:{user:42}rule");
          return 1_800_000_000_000_000L;
        });
    denials.set(new DenialCache(store, new RedisKeys("k:")));
    denials.get().remember();
    var plan = rules(new TokenBucket(Rate.perHour(1))).plan(Request.of(WHO), 0, 0);
    denials.get().decide(plan);
    resets.set(true);
    for (int i = 0; i < 3; i++) {
      assertThat(denials.get().decide(plan).source()).isEqualTo(Source.STORE);
    }
    resets.set(false);
    denials.get().decide(plan);
    assertThat(denials.get().decide(plan).source()).isEqualTo(Source.CACHE);
  }

  @Test
  void aResetByThisInstanceIsSeenAtOnce() {
    here.check(WHO);
    awaitLocal(here);
    here.reset(WHO, "rule");
    assertThat(here.check(WHO).isAllowed()).isTrue();
  }

  @Test
  void aChangedLimitIsSeenAtOnce() {
    here.check(WHO);
    awaitLocal(here);
    here.replaceRules(rules(new TokenBucket(Rate.perHour(10))));
    assertThat(here.checkForResult(Request.of(WHO)).source()).isEqualTo(Source.STORE);
  }

  @Test
  void anotherCostIsAskedOfTheStore() {
    here.check(WHO);
    awaitLocal(here);
    assertThat(here.checkForResult(Request.of(WHO, 0)).source()).isEqualTo(Source.STORE);
    assertThat(here.checkForResult(Request.of(WHO, 2)).source()).isEqualTo(Source.STORE);
  }

  @Test
  void slotsInFlightAreNeverDeniedHereSinceTheyMayBeReleasedAnywhere() {
    here.replaceRules(rules(new Concurrency(1, Duration.ofMinutes(1))));
    there.replaceRules(rules(new Concurrency(1, Duration.ofMinutes(1))));
    var lease = there.acquire(WHO);
    for (int i = 0; i < 3; i++) {
      var result = here.checkForResult(Request.of(WHO));
      assertThat(result.isAllowed()).isFalse();
      assertThat(result.source()).isEqualTo(Source.STORE);
    }
    lease.close();
    assertThat(here.check(WHO).isAllowed()).isTrue();
  }

  @Test
  void whatIsFlushedOnTheServerShowsAfterAMoment() {
    here.replaceRules(rules(FixedWindow.of(Rate.perDay(1))));
    here.check(WHO);
    awaitLocal(here);
    server.call("FLUSHALL");
    Eventually.holds("allowed again", SOON, () -> here.check(WHO).isAllowed());
  }

  @Test
  void theDenialEndsWhenItsCauseDoes() {
    here.replaceRules(rules(new TokenBucket(Rate.of(1, Duration.ofMillis(1_500)))));
    here.check(WHO);
    awaitLocal(here);
    Eventually.holds("allowed again", SOON, () -> here.check(WHO).isAllowed());
  }

  @Test
  void everyInstanceIsCounted() {
    Eventually.holds("two are seen", SOON, () -> ((RedisStore) here.store()).instances() >= 2);
  }

  private static void awaitLocal(RateLimiter limiter) {
    Eventually.holds(
        "denials are known here",
        SOON,
        () -> limiter.checkForResult(Request.of(WHO)).source() == Source.CACHE);
  }

  private static long commands() {
    var info = server.call("INFO", "commandstats").text();
    var matcher = java.util.regex.Pattern.compile("cmdstat_get:calls=(\\d+)").matcher(info);
    long calls = 0;
    while (matcher.find()) calls += Long.parseLong(matcher.group(1));
    return calls;
  }

  private static RateLimiter limiter(Limit limit) {
    return RateLimiter.with(RedisStore.connect(server.uri()), rules(limit));
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("rule").match("key", "user:*").limit(limit).build());
  }
}
