package io.headgate.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.BucketState;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationReply.Status;
import io.headgate.reservation.ReservedCharge.ExpiryCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs random histories of reservations that overlap in one token bucket. After every step, the
 * bucket owes at least as much as one that was charged the present amounts at the times of the
 * charges: an open reservation as reserved, one that has ended with its real cost.
 */
class OverlappingReservationsTest {
  private static final long START = 1_792_000_000_123_456L;
  private static final long TTL = 20_000_000;

  /** A charge of the model: the permits that are used or reserved since a time. */
  private record Charged(long at, long amount) {}

  private static final class Reserved {
    final ReservedCharge charge;
    ReservationRecord record;
    boolean wasOpenAtAStep;

    Reserved(ReservedCharge charge, long expiresAt) {
      this.charge = charge;
      this.record = ReservationRecord.open(expiresAt);
    }
  }

  private static final class History {
    final TokenBucket limit;
    final RuleSet rules;
    final Random random;
    final List<Reserved> reservations = new ArrayList<>();
    final List<Charged> checks = new ArrayList<>();
    final Map<Long, Long> realTimes = new HashMap<>(); // of the times by the clock
    long now = START;
    long steppedBack;
    long returnedLate; // by reservations that were open when the clock stepped back
    State state = State.FRESH;
    ReturnHistory returns = ReturnHistory.NONE;

    History(Random random) {
      this.random = random;
      long permits = 1 + random.nextLong(random.nextBoolean() ? 20 : 1_000);
      var rate = Rate.of(permits, Duration.ofMillis(500 + random.nextLong(60_000)));
      this.limit = new TokenBucket(rate, 1 + random.nextLong(2 * permits));
      this.rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    }

    Charge charge(long cost) {
      return rules.plan(Request.of(Subject.of("k"), cost), 0, 1).charges().getFirst();
    }

    /** The clock steps back. */
    void stepBack() {
      long by = random.nextLong(Math.max(1, limit.window() / (random.nextBoolean() ? 1 : 50)));
      now -= by;
      steppedBack += by;
      reservations.forEach(one -> one.wasOpenAtAStep = true);
    }

    private long real(long at) {
      return realTimes.getOrDefault(at, at);
    }

    void step() {
      realTimes.put(now, now + steppedBack);
      stepAtOnce();
      realTimes.put(now, now + steppedBack);
    }

    private void stepAtOnce() {
      int kind = random.nextInt(12);
      if (kind < 4) now += 1 + random.nextLong(Math.max(1, limit.window() / 8));
      else if (kind < 7 || reservations.isEmpty()) reserve();
      else if (kind == 7) check();
      else operate(reservations.get(random.nextInt(reservations.size())));
    }

    private void check() {
      var charge = charge(1 + random.nextLong(limit.burst()));
      var step = charge.step(state, now);
      if (!(step.outcome() instanceof Passed)) return;
      state = step.state();
      checks.add(new Charged(now + steppedBack, charge.cost()));
    }

    private void reserve() {
      var charge = charge(1 + random.nextLong(limit.burst()));
      var step = charge.step(state, now);
      if (!(step.outcome() instanceof Passed)) return;
      state = step.state();
      var onExpiry = List.of(ExpiryCharge.values()).get(random.nextInt(4));
      long freshAt = now + step.outcome().resetAfter();
      reservations.add(
          new Reserved(
              new ReservedCharge(0, charge, now, freshAt, true, limit.burst(), onExpiry),
              now + random.nextLong(TTL)));
    }

    private void operate(Reserved one) {
      var action = List.of(Action.values()).get(random.nextInt(3));
      long cost = one.charge.charge().cost();
      long target = random.nextInt(6) == 0 ? cost + random.nextLong(3) : random.nextLong(cost + 1);
      if (random.nextInt(5) == 0) target = ReservationCommand.UNREPORTED;
      long more = action == Action.UPDATE ? random.nextLong(limit.burst() + 1) : 0;
      var command =
          new ReservationCommand(
              "n",
              "id",
              one.record.expiresAt(),
              action,
              random.nextLong(TTL),
              List.of(new ReservationCommand.Entry(one.charge, target, more)));
      var step = ReservationStep.of(one.record, command, List.of(state), List.of(returns), now);
      if (step.reply().status() == Status.UNKNOWN) return;
      if (one.wasOpenAtAStep) returnedLate += Math.max(0, total(one) - total(one, step.record()));
      one.record = step.record();
      state = step.states().getFirst();
      returns = step.returns().getFirst();
    }

    private static long total(Reserved one) {
      return total(one, one.record);
    }

    private static long total(Reserved one, ReservationRecord record) {
      return record.ledgers().getOrDefault(0, Ledger.of(one.charge)).total();
    }

    /** Returns the debt of a bucket that was charged the present amounts, in units. */
    long trueDebt() {
      var all = new ArrayList<>(checks);
      for (var one : reservations) {
        var ledger = one.record.ledgers().getOrDefault(0, Ledger.of(one.charge));
        for (var piece : ledger.pieces()) all.add(new Charged(real(piece.at()), piece.amount()));
      }
      all.sort(Comparator.comparingLong(Charged::at));
      long debt = 0;
      long last = START;
      for (var one : all) {
        debt = Math.max(0, debt - (one.at - last) * permits()) + one.amount * period();
        last = one.at;
      }
      return Math.max(0, debt - (now + steppedBack - last) * permits());
    }

    long debt() {
      if (!(state instanceof BucketState bucket) || bucket.emptyAt() <= now) return 0;
      return (bucket.emptyAt() - now) * permits() - bucket.slack();
    }

    private long permits() {
      return limit.rate().permitsInLowestTerms();
    }

    private long period() {
      return limit.rate().periodInLowestTerms();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void clockThatStepsBackExceedsTheLimitAtMostByReservationsThatWereOpen(long seed) {
    var seeds = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      var history = new History(new Random(seeds.nextLong()));
      for (int steps = 0; steps < 60; steps++) {
        if (history.random.nextInt(20) == 0) history.stepBack();
        history.step();
        assertThat(history.debt())
            .as("history %d, step %d, %s", i, steps, history.limit)
            .isGreaterThanOrEqualTo(history.trueDebt() - history.returnedLate * history.period());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void bucketNeverOwesLessThanOneThatWasChargedTheRealCosts(long seed) {
    var seeds = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      var history = new History(new Random(seeds.nextLong()));
      for (int steps = 0; steps < 60; steps++) {
        history.step();
        assertThat(history.debt())
            .as("history %d, step %d, %s", i, steps, history.limit)
            .isGreaterThanOrEqualTo(history.trueDebt());
      }
    }
  }
}
