package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.ReservationState;
import io.headgate.ReservationState.Expired;
import io.headgate.ReservationState.Open;
import io.headgate.ReservationState.Settled;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs random operations on the reservations of one counter, a fixed window of 1,000 tokens an
 * hour, and compares each with a model of a few lines.
 */
final class ReservationHistory {
  private static final long LIMIT = 1_000;
  private static final long TTL = 60_000_000;
  private static final Subject USER = Subject.of("user:1");

  /** The model of one reservation. */
  private static final class Modelled {
    final String id;
    final long reserved;
    long charged;
    long held; // what was reserved, or what the expiry left of it
    long used;
    long expiresAt;
    boolean expired;
    boolean settled;

    Modelled(String id, long reserved, long expiresAt) {
      this.id = id;
      this.reserved = reserved;
      this.charged = reserved;
      this.held = reserved;
      this.expiresAt = expiresAt;
    }

    /** Returns the debt that the client caused by using more than it held. */
    long excess() {
      return Math.max(0, charged - held);
    }
  }

  private final List<RateLimiter> limiters;
  private final ManualTicker clock;
  private final Random random;
  private final List<Modelled> all = new ArrayList<>();
  private long checked;

  /**
   * Creates a history.
   *
   * @param limiters instances of one store, whose rule is named {@code tokens}
   */
  ReservationHistory(List<RateLimiter> limiters, ManualTicker clock, Random random) {
    this.limiters = limiters;
    this.clock = clock;
    this.random = random;
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
      verify();
    }
    clock.advance(Duration.ofMinutes(2));
    expire();
    verify();
    assertThat(instance().reservations().openCount()).isZero();
  }

  private RateLimiter instance() {
    return limiters.get(random.nextInt(limiters.size()));
  }

  private long total() {
    return checked + all.stream().mapToLong(one -> one.charged).sum();
  }

  /** The charges exceed the limit by what clients used beyond what they held only. */
  private void verify() {
    var report = instance().peek(tokens(1)).limits().getFirst();
    assertThat(report.remaining()).isEqualTo(Math.max(0, LIMIT - total()));
    assertThat(total()).isLessThanOrEqualTo(LIMIT + all.stream().mapToLong(Modelled::excess).sum());
  }

  private void step() {
    int kind = random.nextInt(10);
    if (kind < 3 || all.isEmpty()) {
      reserve();
      return;
    }
    var one = all.get(random.nextInt(all.size()));
    switch (kind) {
      case 3, 4 -> update(one);
      case 5, 6 -> settle(one, random.nextInt(5) == 0 ? random.nextLong(400) : one.reserved / 4);
      case 7 -> check();
      case 8 -> clock.advance(Duration.ofMillis(random.nextInt(20_000)));
      default -> expire();
    }
  }

  private void reserve() {
    long cost = 1 + random.nextLong(300);
    boolean fits = total() + cost <= LIMIT;
    var reservation = instance().reserve(tokens(cost));
    assertThat(reservation.isAllowed()).isEqualTo(fits);
    if (!fits) return;
    all.add(new Modelled(reservation.id().orElseThrow(), cost, clock.micros() + TTL));
  }

  private void check() {
    long cost = random.nextLong(50);
    boolean fits = total() + cost <= LIMIT || cost == 0;
    assertThat(instance().check(tokens(cost)).isAllowed()).isEqualTo(fits);
    if (fits) checked += cost;
  }

  /** Reports usage, sometimes twice because the reply was lost. */
  private void update(Modelled one) {
    long used = random.nextLong(one.reserved + 20);
    long more = random.nextInt(3) == 0 ? random.nextLong(100) : 0;
    var state = instance().reservations().update(one.id, Costs.of("tokens", used), costs(more));
    if (one.settled) {
      assertThat(state).isInstanceOf(Settled.class);
      return;
    }
    if (one.expired) {
      assertThat(state).isInstanceOf(Expired.class);
      return;
    }
    one.used = Math.max(one.used, used);
    one.charged = Math.max(one.charged, one.used);
    one.expiresAt = Math.max(one.expiresAt, clock.micros() + TTL);
    boolean fits = more > 0 && total() + more <= LIMIT && one.charged + more <= LIMIT;
    if (fits) {
      one.charged += more;
      one.held += more;
    }
    var open = (Open) state;
    assertThat(open.grown()).isEqualTo(fits);
    assertThat(open.limits().getFirst().charged()).isEqualTo(one.charged);
    if (random.nextBoolean()) return;
    instance().reservations().update(one.id, Costs.of("tokens", used), Costs.NONE);
  }

  private static Costs costs(long more) {
    return more == 0 ? Costs.NONE : Costs.of("tokens", more);
  }

  /** Settles, sometimes repeatedly because the reply was lost, perhaps with another cost. */
  private void settle(Modelled one, long actual) {
    for (int repeats = random.nextInt(3); repeats >= 0; repeats--) {
      var cost = random.nextInt(4) == 0 ? actual + 1 : actual;
      ReservationState state =
          random.nextInt(10) == 0
              ? instance().reservations().cancel(one.id)
              : instance().reservations().settle(one.id, Costs.of("tokens", cost));
      long charged = ((Settled) state).limits().getFirst().charged();
      if (one.settled) {
        assertThat(charged).isEqualTo(one.charged);
      } else {
        assertThat(charged).isIn(0L, cost);
        one.charged = charged;
        one.settled = true;
      }
    }
  }

  private void expire() {
    int due = 0;
    for (var one : all) {
      if (one.settled || one.expired || one.expiresAt > clock.micros()) continue;
      one.expired = true;
      one.charged = one.used;
      one.held = Math.min(one.held, one.charged);
      due++;
    }
    assertThat(instance().reservations().expireDue().toCompletableFuture().join()).isEqualTo(due);
  }

  private static Request tokens(long count) {
    return new Request(USER, 1, Map.of("tokens", count));
  }
}
