package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.ReservationStore;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reservations are bounded in all, and a store may have none. */
class ReservationFloodTest {
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("r")
              .match("key", "*")
              .limit(FixedWindow.of(Rate.of(1_000, Duration.ofHours(10))))
              .build());

  @Test
  void openReservationsAreBoundedInAll() {
    var clock = new ManualTicker();
    var store = MemoryStore.create(clock, MemoryStore.DEFAULT_MAX_KEYS);
    try (var limiter = RateLimiter.with(store, RULES, clock)) {
      for (int i = 0; i < ReservationStore.MAX_OPEN; i++) {
        assertThat(reserve(limiter, i).isAllowed()).isTrue();
      }
      assertThatThrownBy(() -> reserve(limiter, -1))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("a store keeps at most 100000");
      assertThat(limiter.peek(Subject.of("user:-1")).limit().orElseThrow().remaining())
          .isEqualTo(1_000);
      clock.advance(Duration.ofSeconds(61));
      int ended = 0;
      for (int found;
          (found = limiter.reservations().expireDue().toCompletableFuture().join()) > 0; ) {
        ended += found;
      }
      assertThat(ended).isEqualTo(ReservationStore.MAX_OPEN);
      assertThat(reserve(limiter, -1).isAllowed()).isTrue();
    }
  }

  @Test
  void reservationThatHoldsNothingIsNotRecordedAndIsSettledAllTheSame() {
    var clock = new ManualTicker();
    var store = MemoryStore.create(clock, MemoryStore.DEFAULT_MAX_KEYS);
    try (var limiter = RateLimiter.with(store, RULES, clock)) {
      var reservation = limiter.reserve(Request.of(Subject.of("user:1"), 0));
      assertThat(limiter.reservations().openCount()).isZero();
      var settled = reservation.settle(Costs.plain(7));
      assertThat(settled).isInstanceOf(ReservationState.Settled.class);
      assertThat(limiter.peek(Subject.of("user:1")).limit().orElseThrow().remaining())
          .isEqualTo(993);
      assertThat(reservation.settle(Costs.plain(100))).isEqualTo(settled);
      assertThat(limiter.reservations().openCount()).isZero();
    }
  }

  @Test
  void usageOfAReservationThatHoldsNothingIsChargedAndRecorded() {
    var clock = new ManualTicker();
    var store = MemoryStore.create(clock, MemoryStore.DEFAULT_MAX_KEYS);
    try (var limiter = RateLimiter.with(store, RULES, clock)) {
      var reservation = limiter.reserve(Request.of(Subject.of("user:1"), 0));
      reservation.update(Costs.plain(5));
      assertThat(limiter.reservations().openCount()).isOne();
      clock.advance(Duration.ofSeconds(61));
      assertThat(limiter.reservations().expireDue().toCompletableFuture().join()).isOne();
      assertThat(limiter.peek(Subject.of("user:1")).limit().orElseThrow().remaining())
          .isEqualTo(995);
    }
  }

  @Test
  void openReservationsOfOneSubjectAreBounded() {
    var clock = new ManualTicker();
    var store = MemoryStore.create(clock, MemoryStore.DEFAULT_MAX_KEYS);
    var rules =
        RuleSet.of(
            Rule.named("r")
                .match("key", "*")
                .limit(FixedWindow.of(Rate.perDay(1_000_000)))
                .build());
    try (var limiter = RateLimiter.with(store, rules, clock)) {
      var first = reserve(limiter, 1);
      for (int i = 1; i < 10_000; i++) assertThat(reserve(limiter, 1).isAllowed()).isTrue();
      assertThatThrownBy(() -> reserve(limiter, 1))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("10000 of one subject");
      assertThat(limiter.peek(Subject.of("user:1")).limit().orElseThrow().remaining())
          .isEqualTo(990_000);
      assertThat(reserve(limiter, 2).isAllowed()).isTrue();
      first.cancel();
      assertThat(reserve(limiter, 1).isAllowed()).isTrue();
    }
  }

  @Test
  void idsOfSubjectsWithLongAttributesAreShort() {
    var attributes = new HashMap<String, String>();
    for (int i = 0; i < 32; i++) attributes.put("a" + i, "\u20ac".repeat(1_024));
    var rule =
        Rule.named("r")
            .per(List.copyOf(attributes.keySet()))
            .limit(FixedWindow.of(Rate.perDay(1_000)))
            .build();
    try (var limiter = RateLimiter.inMemory(RuleSet.of(rule))) {
      var subject = Subject.of(attributes);
      var reservation = limiter.reserve(Request.of(subject, 100));
      assertThat(reservation.id().orElseThrow()).hasSizeLessThan(400);
      reservation.settle(Costs.plain(1));
      assertThat(limiter.peek(subject).limit().orElseThrow().remaining()).isEqualTo(999);
    }
  }

  private static Reservation reserve(RateLimiter limiter, int user) {
    return limiter.reserve(Request.of(Subject.of("user:" + user)));
  }

  @Test
  void storeWithoutReservationsSaysSo() {
    var store =
        new ForwardingStore(MemoryStore.create()) {
          @Override
          public Optional<ReservationStore> reservations() {
            return Optional.empty();
          }
        };
    try (var limiter = RateLimiter.with(store, RULES)) {
      assertThatThrownBy(() -> reserve(limiter, 1))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("does not keep reservations");
      assertThatThrownBy(() -> limiter.charge(Request.of(Subject.of("user:1"))))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> limiter.reservations().cancel("id"))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void ttlIsBounded() {
    try (var limiter = RateLimiter.inMemory(RULES)) {
      var request = Request.of(Subject.of("user:1"));
      assertThatThrownBy(() -> limiter.reserve(request, Duration.ofMillis(999)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> limiter.reserve(request, Duration.ofHours(2)))
          .hasMessage("the ttl of a reservation must be 1s to 1h, got 7200s");
    }
  }
}
