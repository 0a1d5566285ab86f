package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.ReservationState.Open;
import io.headgate.ReservationState.Unknown;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.OnExpiry;
import io.headgate.rule.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How reservations are updated, grow and expire in every store that keeps them. */
abstract class ReservationUpdateContract extends ReservationSettlementContract {
  @ParameterizedTest
  @MethodSource("correctable")
  void updateRecordsUsageAndExtendsTheExpiry(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(500), Duration.ofSeconds(10));
    clock.advance(Duration.ofSeconds(8));
    var open = (Open) reservation.update(used(100));
    assertThat(open.mayContinue()).isTrue();
    assertThat(charged(open)).containsExactly(500L);
    assertThat(open.expiresAt()).isEqualTo(reservation.expiresAt().orElseThrow().plusSeconds(8));
    clock.advance(Duration.ofSeconds(9));
    assertThat(expire(limiter)).isZero();
    clock.advance(Duration.ofSeconds(2));
    assertThat(expire(limiter)).isEqualTo(1);
    assertThat(expire(limiter)).isZero();
    assertThat(charged(reservation.update(used(200)))).containsExactly(100L);
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void usageBeyondTheReservationIsChargedAtOnce(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(100));
    assertThat(charged(reservation.update(used(250)))).containsExactly(250L);
    assertThat(left(limiter)).isEqualTo(750);
    assertThat(charged(reservation.settle(used(180)))).containsExactly(180L);
    assertThat(left(limiter)).isEqualTo(820);
  }

  @Test
  void updateSaysStopWhenNothingIsLeft() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var reservation = limiter.reserve(tokens(400));
    var other = limiter.reserve(tokens(600));
    assertThat(reservation.update(used(399)).mayContinue()).isTrue();
    assertThat(reservation.update(used(400)).mayContinue()).isFalse();
    other.settle(used(500));
    assertThat(reservation.update(used(400)).mayContinue()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void updateGrowsTheReservationIfThereIsRoom(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(300));
    limiter.reserve(tokens(300));
    var grown = (Open) reservation.update(used(250), used(300));
    assertThat(grown.grown()).isTrue();
    assertThat(charged(grown)).containsExactly(600L);
    var kept = (Open) reservation.update(used(260), used(101));
    assertThat(kept.grown()).isFalse();
    assertThat(charged(kept)).containsExactly(600L);
    assertThat(left(limiter)).isEqualTo(100);
    assertThat(charged(reservation.settle(used(350)))).containsExactly(350L);
    assertThat(left(limiter)).isEqualTo(350);
  }

  @Test
  void growthStaysWithinTheShare() {
    var settings = ReservationSettings.DEFAULT.withMaxShare(400);
    var limiter =
        limiter(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).reservation(settings).build());
    var reservation = limiter.reserve(tokens(300));
    assertThat(((Open) reservation.update(used(0), used(101))).grown()).isFalse();
    assertThat(((Open) reservation.update(used(0), used(100))).grown()).isTrue();
  }

  @Test
  void duplicateOrLateReportDoesNotLowerTheUsage() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var reservation = limiter.reserve(tokens(300));
    reservation.update(used(200));
    reservation.update(used(100));
    clock.advance(Duration.ofSeconds(61));
    expire(limiter);
    assertThat(left(limiter)).isEqualTo(800);
  }

  @ParameterizedTest
  @EnumSource
  void expiryChargesAsTheRuleSays(OnExpiry onExpiry) {
    var settings = ReservationSettings.DEFAULT.withOnExpiry(onExpiry);
    var requests =
        Rule.named("requests")
            .match("key", "*")
            .limit(FixedWindow.of(Rate.of(1_000, HOUR)))
            .reservation(settings)
            .build();
    var limiter =
        limiter(
            tokens(FixedWindow.of(Rate.of(1_000, HOUR))).reservation(settings).build(), requests);
    limiter.reserve(tokens(100));
    limiter.reserve(tokens(100)).update(used(30));
    clock.advance(Duration.ofSeconds(60));
    assertThat(expire(limiter)).isEqualTo(2);
    assertThat(remaining(limiter, USER))
        .isEqualTo(
            switch (onExpiry) {
              case CHARGE_USED -> List.of(970L, 998L);
              case CHARGE_RESERVED -> List.of(800L, 998L);
              case RELEASE -> List.of(1_000L, 1_000L);
            });
    assertThat(limiter.reservations().openCount()).isZero();
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void settlementAfterTheExpiryCorrectsItsCharge(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(500));
    reservation.update(used(200));
    clock.advance(Duration.ofSeconds(60));
    expire(limiter);
    var before = left(limiter);
    clock.advance(Duration.ofMinutes(9));
    long refilled = left(limiter) - before;
    assertThat(charged(reservation.settle(used(350)))).containsExactly(350L);
    assertThat(left(limiter)).isEqualTo(before + refilled - 150);
    assertThat(charged(reservation.settle(used(0)))).containsExactly(350L);
  }

  @Test
  void reservationIsUnknownTenMinutesAfterItsExpiry() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var settled = limiter.reserve(tokens(100));
    settled.settle(used(50));
    var expired = limiter.reserve(tokens(100));
    clock.advance(Duration.ofSeconds(60));
    expire(limiter);
    clock.advance(Duration.ofMinutes(10).plusSeconds(1));
    expire(limiter);
    long before = left(limiter);
    assertThat(expired.settle(used(10))).isInstanceOf(Unknown.class);
    assertThat(settled.settle(used(10))).isInstanceOf(Unknown.class);
    assertThat(left(limiter)).isEqualTo(before);
  }

  @Test
  void sweepThatIsLateEndsAllAndThenLaterOnes() {
    int count = 1_001; // one more than a sweep ends
    var limiter = limiter(FixedWindow.of(Rate.of(10_000, Duration.ofDays(1))));
    clock.set(Math.ceilDiv(clock.micros(), 86_400_000_000L) * 86_400_000_000L);
    for (int i = 1; i < count; i++) limiter.reserve(tokens(1));
    var reported = limiter.reserve(tokens(1_000));
    reported.update(used(500));
    assertThat(expire(limiter)).isZero();
    assertThat(left(limiter)).isEqualTo(8_000);
    clock.advance(Duration.ofMinutes(12));
    assertThat(reported.settle(used(0))).isInstanceOf(Unknown.class);
    assertThat(expire(limiter)).isEqualTo(1_000);
    assertThat(expire(limiter)).isEqualTo(1);
    assertThat(expire(limiter)).isZero();
    assertThat(left(limiter)).isEqualTo(9_500);
    assertThat(limiter.reservations().openCount()).isZero();
    limiter.reserve(tokens(9_000));
    clock.advance(Duration.ofSeconds(61));
    assertThat(expire(limiter)).isEqualTo(1);
    assertThat(left(limiter)).isEqualTo(9_500);
  }

  @Test
  void lateSweepDoesNotReturnWhatWasSettled() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, Duration.ofDays(1))));
    clock.set(Math.ceilDiv(clock.micros(), 86_400_000_000L) * 86_400_000_000L);
    var settled = limiter.reserve(tokens(400));
    assertThat(expire(limiter)).isZero(); // lists it
    settled.settle(used(300));
    clock.advance(Duration.ofMinutes(12));
    expire(limiter);
    assertThat(left(limiter)).isEqualTo(700);
  }

  @Test
  void forgedIdsAreUnknown() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var id = id(limiter.reserve(tokens(500)));
    var changed = (id.charAt(40) == 'A' ? 'B' : 'A') + id.substring(41);
    for (var forged :
        List.of(
            "", "x", "AAAA", id + "A", id.substring(1), id.substring(0, 40) + changed, id + "=")) {
      assertThat(limiter.reservations().settle(forged, used(1))).isInstanceOf(Unknown.class);
      assertThat(limiter.reservations().cancel(forged)).isInstanceOf(Unknown.class);
      assertThat(limiter.reservations().update(forged, used(1), Costs.NONE))
          .isInstanceOf(Unknown.class);
    }
    assertThat(left(limiter)).isEqualTo(500);
    assertThat(id).matches("[A-Za-z0-9_-]+");
    assertThat(id).doesNotContain("user");
  }
}
