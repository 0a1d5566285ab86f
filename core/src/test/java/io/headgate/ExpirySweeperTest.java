package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.ReservationStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sweeps by hand: each call of {@code run} is one second. */
class ExpirySweeperTest {
  private static final Request REQUEST = Request.of(Subject.of("user:1"), 100);

  private final ManualTicker clock = new ManualTicker();
  private final AtomicInteger lookups = new AtomicInteger();
  private final MemoryStore memory = MemoryStore.create(clock, 1_000);
  private final RateLimiter limiter =
      RateLimiter.with(
          counted(),
          RuleSet.of(
              Rule.named("rule")
                  .match("key", "*")
                  .limit(FixedWindow.of(Rate.perDay(1_000)))
                  .build()),
          clock);
  private final ExpirySweeper sweeper = new ExpirySweeper(limiter.reservations());

  /** Counts the lookups of expired reservations, which are calls to a remote store. */
  private ForwardingStore counted() {
    return new ForwardingStore(memory) {
      @Override
      public Optional<ReservationStore> reservations() {
        var real = super.reservations().orElseThrow();
        return Optional.of(
            (ReservationStore)
                Proxy.newProxyInstance(
                    ReservationStore.class.getClassLoader(),
                    new Class<?>[] {ReservationStore.class},
                    (proxy, method, arguments) -> {
                      if (method.getName().equals("expired")) lookups.incrementAndGet();
                      return method.invoke(real, arguments);
                    }));
      }
    };
  }

  @AfterEach
  void close() {
    limiter.close();
  }

  private void run(int seconds) {
    for (int i = 0; i < seconds; i++) sweeper.run();
  }

  @Test
  void idleLimiterLooksAtTheStartAndEveryTenSeconds() {
    run(1);
    assertThat(lookups).as("at the start").hasValue(1);
    run(ExpirySweeper.IDLE_TICKS);
    assertThat(lookups).hasValue(1);
    run(1 + 5 * (ExpirySweeper.IDLE_TICKS + 1));
    assertThat(lookups).hasValue(7);
  }

  @Test
  void openReservationIsLookedForEverySecondUntilItEnds() {
    run(1);
    var reservation = limiter.reserve(REQUEST);
    run(5);
    assertThat(lookups).hasValue(6);
    reservation.settle(Costs.plain(1));
    run(5);
    assertThat(lookups).hasValue(6);
  }

  @Test
  void startEndsReservationsThatExpiredBefore() {
    limiter.reserve(REQUEST, Duration.ofSeconds(1)).update(Costs.plain(30));
    clock.sleep(2_000_000);
    run(1);
    assertThat(limiter.peek(REQUEST).limits().getFirst().remaining()).isEqualTo(970);
    assertThat(limiter.reservations().openCount()).isZero();
  }
}
