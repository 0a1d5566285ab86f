package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientLeasesTest {
  private static final Request ADA = Request.of(Subject.of("user:ada"));

  private final ManualTicker ticker = new ManualTicker();
  private final Rule hourly = leased("hourly").limit(FixedWindow.of(Rate.perHour(1_000))).build();

  private static Rule.Builder leased(String id) {
    return Rule.named(id).match("key", "user:*").consistency(Consistency.LEASED);
  }

  private static ClientLease acquire(RateLimiter limiter, Request request, long checks) {
    return limiter.leases().acquireAsync(request, checks).toCompletableFuture().join();
  }

  private static ClientLease.Granted granted(ClientLease lease) {
    if (lease instanceof ClientLease.Granted granted) return granted;
    throw new AssertionError(lease);
  }

  private static String reason(ClientLease lease) {
    if (lease instanceof ClientLease.None none) return none.reason();
    throw new AssertionError(lease);
  }

  @Test
  void leasedPermitsAreNotAvailableToOthersAndNotCharged() {
    var limiter = Limiters.limiter(ticker, hourly);
    var lease = granted(acquire(limiter, ADA, 80));
    assertThat(lease.checks()).isEqualTo(80);
    assertThat(lease.ttl()).isEqualTo(ClientLeases.MAX_TTL);
    assertThat(limiter.peek(ADA).decision())
        .isInstanceOfSatisfying(
            Decision.Allowed.class, d -> assertThat(d.remaining()).isEqualTo(920));
    limiter.leases().releaseAsync(lease.id(), ADA, 30).toCompletableFuture().join();
    assertThat(limiter.peek(ADA).decision())
        .isInstanceOfSatisfying(
            Decision.Allowed.class, d -> assertThat(d.remaining()).isEqualTo(970));
  }

  @Test
  void leaseHasAtMostATenthOfTheLimit() {
    var limiter = Limiters.limiter(ticker, hourly);
    assertThat(granted(acquire(limiter, ADA, 5_000)).checks()).isEqualTo(100);
    assertThat(granted(acquire(limiter, Request.of(Subject.of("user:bob"), 7), 5_000)).checks())
        .isEqualTo(14);
  }

  @Test
  void clientOfUnknownDemandGetsAFewPermits() {
    assertThat(granted(acquire(Limiters.limiter(ticker, hourly), ADA, 0)).checks()).isEqualTo(10);
  }

  @Test
  void leaseLastsHalfOfAShortWindow() {
    var rule = leased("short").limit(TokenBucket.of(Rate.of(100, Duration.ofSeconds(4)))).build();
    assertThat(granted(acquire(Limiters.limiter(ticker, rule), ADA, 10)).ttl())
        .isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void renewalReportsTheUsageAndKeepsTheRest() {
    var limiter = Limiters.limiter(ticker, hourly);
    var first = granted(acquire(limiter, ADA, 50));
    var second =
        granted(limiter.leases().renewAsync(first.id(), ADA, 40, 20).toCompletableFuture().join());
    assertThat(second.checks()).isEqualTo(20);
    assertThat(second.id()).isNotEqualTo(first.id());
    limiter.leases().releaseAsync(second.id(), ADA, 0).toCompletableFuture().join();
    assertThat(remaining(limiter)).isEqualTo(960);
  }

  @Test
  void renewalKeepsPermitsThatTheClientMayStillSpend() {
    var limiter = Limiters.limiter(ticker, hourly);
    var first = granted(acquire(limiter, ADA, 50));
    var second =
        granted(limiter.leases().renewAsync(first.id(), ADA, 10, 2).toCompletableFuture().join());
    assertThat(second.checks()).isEqualTo(40);
  }

  @Test
  void leaseThatIsNotReportedCountsAsSpentAtItsEnd() {
    var limiter = Limiters.limiter(ticker, hourly);
    acquire(limiter, ADA, 100);
    ticker.advance(ClientLeases.MAX_TTL.minusMillis(1));
    assertThat(remaining(limiter)).isEqualTo(900);
    ticker.advance(Duration.ofMillis(2));
    assertThat(remaining(limiter)).isEqualTo(900);
    ticker.advance(Duration.ofHours(1));
    assertThat(remaining(limiter)).isEqualTo(1_000);
  }

  @Test
  void lateReportChargesNothingTwice() {
    var limiter = Limiters.limiter(ticker, hourly);
    var lease = granted(acquire(limiter, ADA, 100));
    ticker.advance(ClientLeases.MAX_TTL.plusMillis(1));
    limiter.leases().releaseAsync(lease.id(), ADA, 60).toCompletableFuture().join();
    assertThat(remaining(limiter)).isEqualTo(900);
  }

  @Test
  void usageOfALeaseThatTheStoreLostIsCharged() {
    var limiter = Limiters.limiter(ticker, hourly);
    var lease = granted(acquire(limiter, ADA, 100));
    limiter.reset(ADA.subject(), "hourly");
    limiter.leases().releaseAsync(lease.id(), ADA, 60).toCompletableFuture().join();
    assertThat(remaining(limiter)).isEqualTo(940);
  }

  @Test
  void leaseHoldsPermitsOfEveryRule() {
    var perUser = leased("per-user").limit(TokenBucket.of(Rate.perHour(300))).build();
    var limiter = Limiters.limiter(ticker, hourly, perUser);
    var lease = granted(acquire(limiter, ADA, 100));
    assertThat(lease.checks()).isEqualTo(30);
    limiter.leases().releaseAsync(lease.id(), ADA, 30).toCompletableFuture().join();
    assertThat(limiter.peek(ADA).limits())
        .extracting(LimitReport::remaining)
        .containsExactly(970L, 270L);
  }

  @Test
  void changedLimitConvertsTheLeaseInProportion() {
    var limiter = Limiters.limiter(ticker, hourly);
    var lease = granted(acquire(limiter, ADA, 100));
    limiter.replaceRules(
        RuleSet.of(leased("hourly").limit(FixedWindow.of(Rate.perHour(100))).build()));
    limiter.check(ADA); // a decision converts the state
    limiter.leases().releaseAsync(lease.id(), ADA, 50).toCompletableFuture().join();
    assertThat(remaining(limiter)).isEqualTo(100 - 1 - 5);
  }

  @Test
  void ruleThatBecameStrictTakesItsPermitsBack() {
    var limiter = Limiters.limiter(ticker, hourly);
    var lease = granted(acquire(limiter, ADA, 100));
    limiter.replaceRules(
        RuleSet.of(
            leased("hourly")
                .limit(FixedWindow.of(Rate.perHour(1_000)))
                .consistency(Consistency.STRICT)
                .build()));
    var renewed = limiter.leases().renewAsync(lease.id(), ADA, 25, 100);
    assertThat(reason(renewed.toCompletableFuture().join()))
        .isEqualTo("rule 'hourly' is not leased");
    assertThat(remaining(limiter)).isEqualTo(975);
  }

  @Test
  void exhaustedLimitGrantsNoLeaseForNow() {
    var limiter = Limiters.limiter(ticker, hourly);
    limiter.check(Request.of(ADA.subject(), 1_000));
    assertThat(acquire(limiter, ADA, 10))
        .isInstanceOfSatisfying(
            ClientLease.None.class, none -> assertThat(none.lasting()).isFalse());
  }

  @Test
  void atMostSixtyFourLeasesOfOneCounterExist() {
    var limiter = Limiters.limiter(ticker, hourly);
    for (int i = 0; i < 64; i++) granted(acquire(limiter, ADA, 2));
    assertThat(reason(acquire(limiter, ADA, 2))).isEqualTo("too few permits are left");
    assertThat(remaining(limiter)).isEqualTo(1_000 - 128);
  }

  @Test
  void rulesThatCannotBeDividedGrantNoLease() {
    var strict = Rule.named("strict").match("key", "user:*").limit(Limiters.perMinute(100)).build();
    assertThat(reason(acquire(Limiters.limiter(ticker, hourly, strict), ADA, 10)))
        .isEqualTo("rule 'strict' is not leased");
    var slots = leased("slots").limit(Concurrency.of(5)).build();
    assertThat(reason(acquire(Limiters.limiter(ticker, slots), ADA, 10)))
        .isEqualTo("rule 'slots' can't be leased");
    var shadow = leased("shadow").limit(Limiters.perMinute(100)).mode(Mode.SHADOW).build();
    assertThat(reason(acquire(Limiters.limiter(ticker, shadow), ADA, 10)))
        .isEqualTo("rule 'shadow' can't be leased");
    assertThat(reason(acquire(Limiters.limiter(ticker), ADA, 10)))
        .isEqualTo("no limit applies to the request");
    var small = leased("small").limit(Limiters.perMinute(10)).build();
    assertThat(reason(acquire(Limiters.limiter(ticker, small), ADA, 10)))
        .isEqualTo("the limit is too small to be divided among clients");
  }

  @Test
  void idThatIsNotALeaseIsRejected() {
    var limiter = Limiters.limiter(ticker, hourly);
    for (var id : new String[] {"", "?", "AQ", "x".repeat(400)}) {
      assertRejected(limiter, id, ADA);
    }
    assertThatThrownBy(() -> limiter.leases().acquireAsync(ADA, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertRejected(RateLimiter limiter, String id, Request request) {
    for (var call :
        List.of(
            limiter.leases().releaseAsync(id, request, 50),
            limiter.leases().renewAsync(id, request, 50, 10))) {
      assertThatThrownBy(() -> call.toCompletableFuture().join())
          .cause()
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("not a valid lease id");
    }
  }

  /** The format without encryption: version, number of holds, holder, order, and the hold. */
  private static String unencrypted(long counter, long terms, long until) {
    var bytes =
        ByteBuffer.allocate(2 + 6 * Long.BYTES)
            .put((byte) 1)
            .put((byte) 1)
            .putLong(7)
            .putLong(1)
            .putLong(counter)
            .putLong(terms)
            .putLong(1L << 53)
            .putLong(until);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  @Test
  void forgedIdChargesNothing() throws Exception {
    var limiter = Limiters.limiter(ticker, hourly);
    var sha = MessageDigest.getInstance("SHA-256");
    for (var part : List.of("hourly", "hourly", "user:ada")) {
      sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length()).array());
      sha.update(part.getBytes(StandardCharsets.UTF_8));
    }
    long counter = ByteBuffer.wrap(sha.digest()).getLong();
    var limit = FixedWindow.of(Rate.perHour(1_000));
    long terms = 31 * (31 * limit.capacity() + limit.window()) + limit.algorithm().id().hashCode();
    assertRejected(limiter, unencrypted(counter, terms, ticker.micros() + 10_000_000), ADA);
    assertThat(remaining(limiter)).isEqualTo(1_000);
  }

  @Test
  void changedIdsAndIdsOfReservationsAreRejected() {
    var limiter = Limiters.limiter(ticker, hourly);
    var id = granted(acquire(limiter, ADA, 100)).id();
    assertThat(id).matches("[A-Za-z][A-Za-z0-9_-]+");
    for (int i = 0; i < id.length() - 1; i += 7) {
      char other = id.charAt(i) == 'A' ? 'B' : 'A';
      assertRejected(limiter, id.substring(0, i) + other + id.substring(i + 1), ADA);
    }
    assertRejected(limiter, limiter.reserve(ADA).id().orElseThrow(), ADA);
    assertThat(limiter.reservations().settle(id, Costs.NONE))
        .isInstanceOf(ReservationState.Unknown.class);
    assertRejected(Limiters.limiter(ticker, hourly), id, ADA);
  }

  @Test
  void leaseReportsNothingForAnotherSubject() {
    var limiter = Limiters.limiter(ticker, hourly);
    var lease = granted(acquire(limiter, ADA, 100));
    var victim = Request.of(Subject.of("user:victim"));
    limiter.leases().releaseAsync(lease.id(), victim, 100).toCompletableFuture().join();
    assertThat(limiter.peek(victim).limits().getFirst().remaining()).isEqualTo(1_000);
  }

  @Test
  void repeatedReportsOfALeaseAreRepaidWithinElevenWindows() {
    var bucket = leased("bucket").limit(TokenBucket.of(Rate.perHour(1_000))).build();
    var limiter = Limiters.limiter(ticker, bucket);
    var lease = granted(acquire(limiter, ADA, 100));
    for (int i = 0; i < 1_000; i++) {
      limiter.leases().releaseAsync(lease.id(), ADA, 100).toCompletableFuture().join();
    }
    ticker.advance(Duration.ofHours(11));
    assertThat(remaining(limiter)).isEqualTo(1_000);
  }

  private long remaining(RateLimiter limiter) {
    return limiter.peek(ADA).limits().getFirst().remaining();
  }
}
