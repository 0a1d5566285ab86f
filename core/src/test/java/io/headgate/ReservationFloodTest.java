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
          .hasMessageContaining("there are 100000 open reservations");
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
