package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How long usage beyond a limit excludes its subject, in every store that keeps reservations. */
abstract class ReservationDebtContract extends ReservationUpdateContract {
  private static final long ALL = Request.MAX_COST;

  private final Limit bucket = TokenBucket.of(Rate.of(1_000, HOUR));

  @ParameterizedTest
  @MethodSource("correctable")
  void usageOfAnyAmountIsRepaidWithinElevenWindows(Limit limit) {
    var limiter = limiter(limit);
    for (int i = 0; i < 3; i++) limiter.charge(tokens(ALL));
    assertThat(left(limiter)).isZero();
    clock.advance(HOUR.multipliedBy(11).plusSeconds(1));
    assertThat(left(limiter)).isEqualTo(1_000);
  }

  @Test
  void debtOfABucketIsKeptForTenWindows() {
    var limiter = limiter(bucket);
    limiter.charge(tokens(ALL));
    clock.advance(HOUR.multipliedBy(10));
    assertThat(left(limiter)).isZero();
    clock.advance(HOUR.dividedBy(2));
    assertThat(left(limiter)).isEqualTo(500);
  }

  @Test
  void settlementAndUpdateOfAnyAmountAreRepaidWithinElevenWindows() {
    var limiter = limiter(bucket);
    var settled = limiter.reserve(tokens(300));
    assertThat(charged(settled.settle(used(ALL)))).containsExactly(11_000L);
    assertThat(charged(settled.settle(used(ALL)))).containsExactly(11_000L);
    clock.advance(HOUR.multipliedBy(11));
    assertThat(left(limiter)).isEqualTo(1_000);
    var updated = limiter.reserve(tokens(300));
    assertThat(charged(updated.update(used(ALL)))).containsExactly(11_000L);
    assertThat(charged(updated.update(used(ALL)))).containsExactly(11_000L);
    clock.advance(Duration.ofSeconds(60));
    assertThat(expire(limiter)).isEqualTo(1);
    clock.advance(HOUR.multipliedBy(11));
    assertThat(left(limiter)).isEqualTo(1_000);
  }

  @Test
  void usageThatWasNotChargedIsNotReturned() {
    var limiter = limiter(bucket);
    limiter.charge(tokens(400));
    var reservation = limiter.reserve(tokens(100));
    assertThat(charged(reservation.update(used(ALL)))).containsExactly(10_600L);
    assertThat(charged(reservation.cancel())).containsExactly(0L);
    assertThat(left(limiter)).isEqualTo(600);
  }

  @Test
  void ruleMaySayHowLongUsageBeyondItsLimitsCounts() {
    assertThat(leftAfter(Duration.ofMinutes(30), Duration.ofMinutes(60))).isEqualTo(500);
    assertThat(leftAfter(Duration.ofMinutes(30), Duration.ofMinutes(90))).isEqualTo(1_000);
    assertThat(leftAfter(Duration.ofMinutes(1), Duration.ofMinutes(31))).isEqualTo(500);
    assertThat(leftAfter(Duration.ofDays(30), Duration.ofDays(30))).isZero();
  }

  /** Returns the permits that are left at a time after much usage. */
  private long leftAfter(Duration maxDebt, Duration time) {
    var settings = ReservationSettings.DEFAULT.withMaxDebt(maxDebt);
    RateLimiter limiter = limiter(tokens(bucket).reservation(settings).build());
    limiter.reset(USER, "tokens");
    limiter.charge(tokens(ALL));
    clock.advance(time);
    return left(limiter);
  }
}
