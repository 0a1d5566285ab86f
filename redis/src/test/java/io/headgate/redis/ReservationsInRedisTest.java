package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Costs;
import io.headgate.HeldPermits;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.ReservationState.Local;
import io.headgate.ReservationState.Settled;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ReservationStore;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reservations of several instances that share a Redis server, by its clock. */
class ReservationsInRedisTest {
  private static final Duration WAIT = Duration.ofSeconds(40);
  private static RedisServer server;

  private final ConcurrentLinkedQueue<RateLimiter> opened = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void closeLimiters() {
    opened.forEach(RateLimiter::close);
    server.call("FLUSHALL");
  }

  private static Rule.Builder rule(long limit) {
    return Rule.named("rule").match("key", "*").limit(FixedWindow.of(Rate.perDay(limit)));
  }

  private RateLimiter connect(Rule... rules) {
    var options = RedisOptions.builder(server.uri()).deadline(Duration.ofSeconds(10)).build();
    var limiter = RateLimiter.with(RedisStore.connect(options), RuleSet.of(rules));
    opened.add(limiter);
    return limiter;
  }

  private static Request cost(long cost) {
    return Request.of(Subject.of("user:1"), cost);
  }

  private static long charged(ReservationState state) {
    return ((Settled) state).limits().getFirst().charged();
  }

  private static long left(RateLimiter limiter) {
    return limiter.peek(cost(1)).limits().getFirst().remaining();
  }

  @Test
  void sweepWithoutReservationsLeavesNoKey() {
    var limiter = connect(rule(10).build());
    int ended = limiter.reservations().expireDue().toCompletableFuture().join();
    assertThat(ended).isZero();
    assertThat(server.call("KEYS", "*reservations*").items()).isEmpty();
    assertThat(limiter.reserve(cost(1)).isAllowed()).isTrue();
  }

  @Test
  void reservationThatHoldsNothingLeavesNoEntry() {
    var limiter = connect(rule(1_000).build());
    var reservation = limiter.reserve(cost(0));
    limiter.reservations().largest(rule -> true, 1).toCompletableFuture().join(); // sends changes
    assertThat(server.call("ZCARD", "headgate:{*reservations}open").number()).isZero();
    assertThat(server.call("KEYS", "headgate:{user:1}|*").items()).isEmpty();
    assertThat(charged(reservation.settle(Costs.plain(7)))).isEqualTo(7);
    assertThat(charged(reservation.settle(Costs.plain(100)))).isEqualTo(7);
    assertThat(left(limiter)).isEqualTo(993);
  }

  @Test
  void openReservationsOfOneSubjectAreBounded() {
    var first = connect(rule(1_000_000).build());
    var second = connect(rule(1_000_000).build());
    reserve(first, 6_000);
    reserve(second, 6_000);
    Eventually.holds(
        "both are told",
        WAIT,
        () -> {
          first.reservations().expireDue().toCompletableFuture().join();
          return isRefused(first) && isRefused(second);
        });
    assertThat(server.call("ZCARD", "headgate:{*reservations}open").number())
        .isLessThanOrEqualTo(ReservationStore.MAX_PER_SUBJECT);
    assertThat(first.reserve(Request.of(Subject.of("user:2"), 1)).isAllowed()).isTrue();
  }

  private static void reserve(RateLimiter limiter, int count) {
    var all = new ArrayList<CompletableFuture<?>>(count);
    for (int i = 0; i < count; i++) {
      var reserved = limiter.reserveAsync(cost(1), Duration.ofMinutes(1)).toCompletableFuture();
      all.add(reserved.handle((done, problem) -> done));
      if (i % 100 == 99) CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    }
  }

  private static boolean isRefused(RateLimiter limiter) {
    try {
      limiter.reserve(cost(1));
      return false;
    } catch (StoreException e) {
      return e.getMessage() != null && e.getMessage().contains("of one subject");
    }
  }

  /** Otherwise closing would cancel, and the usage would be free. */
  @Test
  void closeRepeatsASettlementThatFailed() {
    try (var proxy = FaultProxy.to(server.port())) {
      var options =
          RedisOptions.builder("redis://127.0.0.1:" + proxy.port())
              .deadline(Duration.ofMillis(500))
              .build();
      var limiter = RateLimiter.with(RedisStore.connect(options), RuleSet.of(rule(10).build()));
      opened.add(limiter);
      Eventually.holds("the store answers", WAIT, () -> isOfTheStore(limiter));
      var reservation = limiter.reserve(cost(6));
      proxy.refuse();
      proxy.cut();
      assertThatThrownBy(() -> reservation.settle(Costs.plain(4)))
          .isInstanceOf(StoreException.class);
      proxy.pass();
      Eventually.holds("the store answers again", WAIT, () -> isOfTheStore(limiter));
      reservation.close();
      assertThat(left(limiter)).isEqualTo(6);
    }
  }

  private static boolean isOfTheStore(RateLimiter limiter) {
    return limiter.checkForResult(cost(0)).source() == Source.STORE;
  }

  @Test
  void tenThousandReservationsOfTwoInstancesAreExact() throws Exception {
    var rule = rule(5_000).build();
    var limiters = List.of(connect(rule), connect(rule));
    var made = new ConcurrentLinkedQueue<Reservation>();
    int threads = ConcurrentRunner.VIRTUAL.size();
    ConcurrentRunner.VIRTUAL.sum(thread -> {
      for (int i = 0; i < 10_000 / threads; i++) {
        var reservation = limiters.get(thread % 2).reserve(cost(1));
        if (reservation.isAllowed()) made.add(reservation);
      }
      return 0;
    });
    assertThat(made).hasSize(5_000);
    assertThat(left(limiters.getFirst())).isZero();
    var settled =
        ConcurrentRunner.VIRTUAL.sum(thread -> {
          long count = 0;
          for (Reservation one; (one = made.poll()) != null; count++) {
            // Any instance settles, and twice, as a client does whose reply was lost.
            var actual = Costs.plain(count % 2);
            var reservations = limiters.get((thread + 1) % 2).reservations();
            var first = reservations.settle(one.id().orElseThrow(), actual);
            assertThat(charged(one.settle(actual))).isEqualTo(charged(first)).isEqualTo(count % 2);
          }
          return count / 2;
        });
    assertThat(left(limiters.getFirst())).isEqualTo(5_000 - settled);
  }

  @Test
  void returnsOfABucketAreStoredOnlyWhileAnotherReservationMaySeeThem() {
    var bucket = TokenBucket.of(Rate.perHour(1_000));
    var limiter = connect(Rule.named("rule").match("key", "*").limit(bucket).build());
    String returns = "headgate:{user:1}||rule";
    var first = limiter.reserve(cost(400));
    first.settle(Costs.plain(100));
    assertThat(server.call("EXISTS", returns).number()).isZero();
    var older = limiter.reserve(cost(300));
    var newer = limiter.reserve(cost(200));
    older.settle(Costs.plain(100));
    assertThat(server.call("TTL", returns).number()).isBetween(1L, 3_601L);
    newer.cancel();
    assertThat(left(limiter)).isBetween(800L, 801L); // a permit is refilled in 3.6 s
  }

  @Test
  void otherInstanceExpiresTheReservationsOfOneThatHasGone() {
    var rule = rule(1_000).build();
    var first = connect(rule);
    var second = connect(rule);
    for (int i = 0; i < 10; i++) {
      assertThat(first.reserve(cost(50), Duration.ofSeconds(1)).isAllowed()).isTrue();
    }
    first.reserve(cost(100), Duration.ofSeconds(1)).update(Costs.plain(30));
    opened.remove(first);
    first.close();
    assertThat(left(second)).isEqualTo(400);
    // The plain cost counts as used where the client reported nothing.
    Eventually.holds("the last one expires", WAIT, () -> left(second) == 470);
    assertThat(second.reservations().openCount()).isLessThanOrEqualTo(10);
  }

  @Test
  void instanceThatStartsLaterAndNeverReservesExpiresThem() {
    var rule = rule(1_000).build();
    var first = connect(rule);
    first.reserve(cost(100), Duration.ofSeconds(1)).update(Costs.plain(30));
    opened.remove(first);
    first.close();
    var second = connect(rule);
    Eventually.holds("it expires", WAIT, () -> left(second) == 970);
  }

  @ParameterizedTest
  @EnumSource
  void everyConsistencyModeReservesStrictly(Consistency mode) {
    var limiter = connect(rule(1_000).consistency(mode).build());
    var reservation = limiter.reserve(cost(600));
    assertThat(reservation.result().source()).isEqualTo(Source.STORE);
    assertThat(limiter.reserve(cost(401)).isAllowed()).isFalse();
    reservation.settle(Costs.plain(100));
    assertThat(limiter.reserve(cost(900)).isAllowed()).isTrue();
    assertThat(limiter.reserve(cost(1)).isAllowed()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void settlementInvalidatesCachedDenialsOfAllInstances(Consistency mode) {
    var rule = rule(1_000).consistency(mode).build();
    var first = connect(rule);
    var second = connect(rule);
    var reservation = first.reserve(cost(1_000));
    Eventually.holds(
        "the denial is cached",
        WAIT,
        () -> second.checkForResult(cost(1)).source() == Source.CACHE);
    reservation.settle(Costs.plain(0));
    Eventually.holds("the denial is invalid", WAIT, () -> second.check(cost(1)).isAllowed());
  }

  @Test
  void otherInstanceExplainsTheHeldPermits() {
    var rule = rule(1_000).build();
    var first = connect(rule);
    var second = connect(rule);
    first.check(cost(50));
    var reservation = first.reserve(cost(600));
    Eventually.holds("it is listed", WAIT, () -> !held(second).isEmpty());
    var usage = held(second).getFirst();
    assertThat(usage.held().permits()).isEqualTo(600);
    assertThat(usage.held().reservations()).isOne();
    assertThat(usage.held().complete()).isTrue();
    assertThat(usage.used()).isEqualTo(50);
    assertThat(usage.remaining()).isEqualTo(350);
    assertThat(second.reservations().largest(id -> true, 5).toCompletableFuture().join())
        .containsExactly(usage);
    assertThat(second.reservations().largest(id -> false, 5).toCompletableFuture().join())
        .isEmpty();
    reservation.settle(Costs.plain(0));
    Eventually.holds("it has ended", WAIT, () -> held(second).isEmpty());
  }

  private static List<HeldPermits.Usage> held(RateLimiter limiter) {
    var explanation = limiter.explain(Subject.of("user:1")).getFirst();
    return explanation.limits().stream()
        .flatMap(limit -> explanation.usage(limit).stream())
        .toList();
  }

  @Test
  void failurePolicyDecidesWhileRedisIsUnavailable() {
    try (var own = RedisServer.start()) {
      var options = RedisOptions.builder(own.uri()).deadline(Duration.ofSeconds(1)).build();
      var rule = rule(1_000).onStoreFailure(new FailurePolicy.Allow()).build();
      try (var limiter = RateLimiter.with(RedisStore.connect(options), RuleSet.of(rule))) {
        var before = limiter.reserve(cost(100));
        own.pause();
        var during = limiter.reserve(cost(100));
        assertThat(during.isAllowed()).isTrue();
        assertThat(during.result().source()).isEqualTo(Source.FALLBACK);
        assertThat(during.settle(Costs.plain(10))).isEqualTo(new Local());
        assertThat(during.update(Costs.plain(10)).mayContinue()).isTrue();
        before.close(); // fails silently; the reservation expires
      }
    }
  }

  @Test
  void reservationBeforeTheFirstConnectionFollowsTheFailurePolicy() {
    var options =
        RedisOptions.builder("redis://127.0.0.1:1").deadline(Duration.ofMillis(200)).build();
    var rules =
        RuleSet.of(
            rule(1_000).onStoreFailure(new FailurePolicy.Deny()).build(),
            Rule.named("other")
                .match("team", "*")
                .onStoreFailure(new FailurePolicy.Allow())
                .limit(FixedWindow.of(Rate.perDay(10)))
                .build());
    try (var limiter = RateLimiter.with(RedisStore.connect(options), rules)) {
      assertThat(limiter.reserve(cost(1)).isAllowed()).isFalse();
      var allowed = limiter.reserve(Request.of(Subject.of(Map.of("team", "blue"))));
      assertThat(allowed.isAllowed()).isTrue();
      assertThat(allowed.settle(Costs.NONE)).isEqualTo(new Local());
    }
  }

  @Test
  void reservationOutlivesARestartOfTheInstance() {
    var rule = rule(1_000).build();
    var first = connect(rule);
    var id = first.reserve(cost(500)).id().orElseThrow();
    opened.remove(first);
    first.close();
    var second = connect(rule);
    assertThat(charged(second.reservations().settle(id, Costs.plain(20)))).isEqualTo(20);
    assertThat(left(second)).isEqualTo(980);
  }
}
