package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.RegionScope;
import io.headgate.rule.RegionSettings;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.StoreException;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reserves in two regions with a real Redis each, one of which is home. */
class RegionReservationTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration TTL = Duration.ofMinutes(1);
  private static final TokenBucket HUNDRED = TokenBucket.of(Rate.of(100, Duration.ofHours(1)));

  /** The rules: each applies to requests that have its attribute. */
  private static final List<Rule> RULES =
      List.of(
          rule("shared").build(),
          rule("local").regions(scope(RegionScope.LOCAL)).build(),
          rule("home").regions(scope(RegionScope.HOME)).build(),
          rule("split")
              .regions(new RegionSettings(Optional.empty(), Map.of("us", 200, "ap", 800)))
              .build(),
          Rule.named("log")
              .match("log", "*")
              .limit(RollingWindow.of(Rate.of(100, Duration.ofHours(1))))
              .build(),
          Rule.named("window")
              .match("window", "*")
              .limit(FixedWindow.of(Rate.of(100, Duration.ofDays(1))))
              .build(),
          rule("short")
              .reservation(
                  ReservationSettings.DEFAULT
                      .withTtl(Duration.ofSeconds(1))
                      .withOnExpiry(ReservationSettings.OnExpiry.RELEASE))
              .build());

  private static RedisServer euRedis;
  private static RedisServer usRedis;
  private RedisServer home;
  private RateLimiter eu;
  private RateLimiter us;
  private static int test;

  private static Rule.Builder rule(String name) {
    return Rule.named(name).match(name, "*").limit(HUNDRED);
  }

  private static RegionSettings scope(RegionScope scope) {
    return new RegionSettings(Optional.of(scope), Map.of());
  }

  @BeforeAll
  static void startRegional() {
    euRedis = RedisServer.start();
    usRedis = RedisServer.start();
  }

  @AfterAll
  static void stopRegional() {
    euRedis.close();
    usRedis.close();
  }

  @BeforeEach
  void start() {
    test++;
    home = RedisServer.start();
    home.call("SET", "headgate:home:ready", "new");
    eu = region("eu", euRedis);
    us = region("us", usRedis);
  }

  private RateLimiter region(String name, RedisServer redis) {
    var store =
        RegionalStore.connect(
            new RegionOptions(
                name,
                RedisOptions.builder(redis.uri())
                    .prefix("t" + test + ":")
                    .deadline(Duration.ofSeconds(5))
                    .build(),
                RedisOptions.builder(home.uri()).deadline(Duration.ofSeconds(5)).build(),
                LEASE));
    Eventually.holds("home is ready", PATIENCE, store::isHomeReady);
    return RateLimiter.with(store, RULES);
  }

  @AfterEach
  void stop() {
    eu.close();
    us.close();
    home.close();
  }

  private static Request request(long cost, String... attributes) {
    var subject = Subject.of(attributes[0], "a");
    for (int i = 1; i < attributes.length; i++) subject = subject.with(attributes[i], "a");
    return Request.of(subject, cost);
  }

  private static Reservation reserve(RateLimiter limiter, long cost, String... attributes) {
    return limiter.reserve(request(cost, attributes), TTL);
  }

  private static long left(RateLimiter limiter, String attribute) {
    return limiter.peek(request(1, attribute)).limits().getFirst().remaining();
  }

  @Test
  void reservationsOfAllRegionsStayWithinASharedLimit() {
    long reserved = 0;
    for (int i = 0; i < 10; i++) {
      for (var limiter : List.of(eu, us)) {
        if (reserve(limiter, 15, "shared").isAllowed()) reserved += 15;
      }
    }
    assertThat(reserved).isEqualTo(90);
  }

  @Test
  void reservationsAndChecksTogetherStayWithinASharedLimit() {
    long admitted = 0;
    for (int i = 0; i < 60; i++) {
      for (var limiter : List.of(eu, us)) {
        if (limiter.check(request(1, "shared")).isAllowed()) admitted++;
      }
      if (i % 10 == 0 && reserve(us, 10, "shared").isAllowed()) admitted += 10;
    }
    assertThat(admitted).isBetween(70L, 100L);
  }

  @Test
  void settlementReturnsTheRestWhereItWasReserved() {
    for (var attribute : List.of("shared", "local", "home", "window", "log")) {
      var made = reserve(us, 40, attribute);
      assertThat(made.isAllowed()).as(attribute).isTrue();
      assertThat(left(us, attribute)).as(attribute).isEqualTo(60);
      var state = us.reservations().settle(made.id().orElseThrow(), Costs.plain(25));
      assertThat(state).as(attribute).isInstanceOf(ReservationState.Settled.class);
      if (!attribute.equals("log")) assertThat(left(us, attribute)).as(attribute).isEqualTo(75);
      var again = us.reservations().settle(made.id().orElseThrow(), Costs.plain(25));
      assertThat(again).as(attribute).isInstanceOf(ReservationState.Settled.class);
    }
    assertThat(left(eu, "shared")).isEqualTo(75);
    assertThat(left(eu, "local")).isEqualTo(100);
  }

  @Test
  void splitIsReservedInTheRegionAndThatOfAnotherRegionIsRefused() {
    assertThat(reserve(us, 20, "split").isAllowed()).isTrue();
    assertThat(reserve(us, 1, "split").isAllowed()).isFalse();
    assertThat(reserve(eu, 1, "split").isAllowed()).isFalse();
    assertThat(home.call("KEYS", "*split*").toString()).doesNotContain("split");
  }

  @Test
  void planOfBothStoresIsReservedInBothOrInNone() {
    var both = reserve(us, 30, "shared", "local");
    assertThat(both.isAllowed()).isTrue();
    assertThat(left(us, "shared")).isEqualTo(70);
    assertThat(left(us, "local")).isEqualTo(70);

    assertThat(reserve(us, 50, "local").isAllowed()).isTrue();
    assertThat(reserve(us, 30, "shared", "local").isAllowed()).isFalse();
    Eventually.holds("home has its permits back", PATIENCE, () -> left(us, "shared") == 70);
    assertThat(left(us, "local")).isEqualTo(20);

    assertThat(reserve(us, 50, "shared").isAllowed()).isTrue();
    assertThat(reserve(us, 25, "shared", "local").isAllowed()).isFalse();
    assertThat(left(us, "local")).isEqualTo(20);

    var settled = us.reservations().cancel(both.id().orElseThrow());
    assertThat(settled).isInstanceOf(ReservationState.Settled.class);
    assertThat(left(us, "shared")).isEqualTo(50);
    assertThat(left(us, "local")).isEqualTo(50);
  }

  @Test
  void updateGrowsAReservationAtHomeAndExtendsItsExpiry() {
    var made = reserve(us, 10, "shared");
    var state = us.reservations().update(made.id().orElseThrow(), Costs.plain(5), Costs.plain(20));
    assertThat(state).isInstanceOf(ReservationState.Open.class);
    assertThat(((ReservationState.Open) state).grown()).isTrue();
    assertThat(left(eu, "shared")).isEqualTo(70);
  }

  @Test
  void expiredReservationAtHomeIsReleasedByTheRegionThatMadeIt() {
    assertThat(reserve(us, 40, "short").isAllowed()).isTrue();
    Eventually.holds("it expires", PATIENCE, () -> left(eu, "short") == 100);
  }

  @Test
  void usageIsChargedWhereTheLimitIs() {
    us.charge(request(30, "shared", "local"));
    // The response reports the state, for which the region takes a share.
    Eventually.holds("the share is back at home", PATIENCE, () -> left(eu, "shared") == 70);
    assertThat(left(us, "local")).isEqualTo(70);
    assertThat(left(eu, "local")).isEqualTo(100);
  }

  @Test
  void idOfAnotherRegionIsUnknown() {
    var made = reserve(us, 10, "shared");
    assertThat(eu.reservations().settle(made.id().orElseThrow(), Costs.plain(1)))
        .isInstanceOf(ReservationState.Unknown.class);
  }

  private static RuleSet moved(RegionSettings regions) {
    return RuleSet.of(rule("moved").regions(regions).build());
  }

  static Stream<Arguments> divisionsOfTwoCounters() {
    var shared = RegionSettings.DEFAULT;
    var local = scope(RegionScope.LOCAL);
    var home = scope(RegionScope.HOME);
    var split = new RegionSettings(Optional.empty(), Map.of("us", 500));
    var larger = new RegionSettings(Optional.empty(), Map.of("us", 600));
    var other = new RegionSettings(Optional.empty(), Map.of("eu", 200));
    return Stream.of(
        Arguments.of(shared, local),
        Arguments.of(local, shared),
        Arguments.of(home, local),
        Arguments.of(local, home),
        Arguments.of(shared, split),
        Arguments.of(split, shared),
        Arguments.of(split, larger),
        Arguments.of(split, other),
        Arguments.of(shared, other));
  }

  @ParameterizedTest
  @MethodSource("divisionsOfTwoCounters")
  void reservationReturnsNothingWhereItWasNotMade(RegionSettings before, RegionSettings after) {
    us.replaceRules(moved(after));
    us.charge(request(15, "moved"));
    long charged = left(us, "moved");
    us.replaceRules(moved(before));
    var made = reserve(us, 30, "moved");
    assertThat(made.isAllowed()).isTrue();
    us.replaceRules(moved(after));
    var state = us.reservations().settle(made.id().orElseThrow(), Costs.plain(10));
    assertThat(state)
        .isInstanceOfSatisfying(
            ReservationState.Settled.class,
            settled -> {
              assertThat(settled.limits().getFirst().charged()).isEqualTo(30);
              assertThat(settled.limits().getFirst().correctable()).isFalse();
            });
    assertThat(left(us, "moved")).isLessThanOrEqualTo(charged);
  }

  static Stream<Arguments> divisionsOfOneCounter() {
    var one = new RegionSettings(Optional.empty(), Map.of("us", 500, "eu", 500));
    var two = new RegionSettings(Optional.empty(), Map.of("us", 500, "eu", 100, "ap", 100));
    return Stream.of(
        Arguments.of(RegionSettings.DEFAULT, scope(RegionScope.HOME)),
        Arguments.of(scope(RegionScope.HOME), scope(RegionScope.SHARED)),
        Arguments.of(one, two));
  }

  @ParameterizedTest
  @MethodSource("divisionsOfOneCounter")
  void reservationIsSettledUnderRulesThatCountItInTheSamePlace(
      RegionSettings before, RegionSettings after) {
    us.replaceRules(moved(before));
    long fresh = left(us, "moved");
    var made = reserve(us, 30, "moved");
    us.replaceRules(moved(after));
    var state = us.reservations().settle(made.id().orElseThrow(), Costs.plain(10));
    assertThat(state)
        .isInstanceOfSatisfying(
            ReservationState.Settled.class,
            settled -> assertThat(settled.limits().getFirst().charged()).isEqualTo(10));
    us.replaceRules(moved(before));
    Eventually.holds("the rest is back", PATIENCE, () -> left(us, "moved") == fresh - 10);
  }

  @Test
  void reservationFailsWithoutHomeAndALocalOneDoesNot() {
    home.kill();
    assertThatThrownBy(() -> reserve(us, 10, "shared")).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> reserve(us, 10, "shared", "local")).isInstanceOf(StoreException.class);
    assertThat(left(us, "local")).isEqualTo(100);
    assertThat(reserve(us, 10, "local").isAllowed()).isTrue();
  }

  @Test
  void homeThatRestartsEmptyDoesNotReserveTheLimitAgain() {
    var stores = new ArrayList<RegionalStore>();
    for (var limiter : List.of(eu, us)) stores.add((RegionalStore) limiter.store());
    var made = reserve(us, 50, "window");
    assertThat(made.isAllowed()).isTrue();
    home.kill();
    home.restart();
    Eventually.holds(
        "home waits", PATIENCE, () -> stores.stream().noneMatch(RegionalStore::isHomeReady));
    assertThatThrownBy(() -> reserve(us, 10, "window")).isInstanceOf(StoreException.class);
    for (var store : stores) Eventually.holds("home is ready", PATIENCE, store::isHomeReady);
    assertThat(reserve(eu, 10, "window").isAllowed()).isFalse();
    var settled = us.reservations().settle(made.id().orElseThrow(), Costs.plain(30));
    assertThat(settled).isInstanceOf(ReservationState.Settled.class);
    assertThat(left(eu, "window")).isLessThanOrEqualTo(20);
  }
}
