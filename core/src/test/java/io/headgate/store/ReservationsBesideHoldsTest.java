package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationReply.Status;
import io.headgate.reservation.ReservedCharge;
import io.headgate.reservation.ReservedCharge.ExpiryCharge;
import io.headgate.rule.Plan;
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
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs random histories of one token bucket of which instances hold permits while clients reserve
 * them. Replies to instances are lost, instances disappear, and holds are released. At every step,
 * the store has at most the permits left that a bucket has which was charged the present amounts at
 * the times of the charges, beside the same holds.
 */
class ReservationsBesideHoldsTest {
  private static final long START = 1_792_000_000_123_456L;
  private static final long TTL = 20_000_000;

  /** Permits that are used, reserved or spent since a time. */
  private record Charged(long at, long amount) {}

  /** Permits that the store holds for an instance. */
  private record Held(long amount, long until) {}

  /** The last grant that an instance knows of. */
  private record Grant(long spent, long amount, long until) {}

  private static final class Reserved {
    final ReservedCharge charge;
    final String nonce;
    List<Charged> pieces;
    boolean ended;

    Reserved(ReservedCharge charge, String nonce) {
      this.charge = charge;
      this.nonce = nonce;
      this.pieces = List.of(new Charged(charge.at(), charge.charge().cost()));
    }

    long total() {
      return pieces.stream().mapToLong(Charged::amount).sum();
    }

    /** Charges the difference now, or returns the newest permits first. */
    void correctTo(long target, long now) {
      var next = new ArrayList<>(pieces);
      long total = total();
      if (target > total) next.add(new Charged(now, target - total));
      for (long rest = total - target; rest > 0; ) {
        var last = next.removeLast();
        long back = Math.min(rest, last.amount);
        if (back < last.amount) next.add(new Charged(last.at, last.amount - back));
        rest -= back;
      }
      pieces = next;
    }
  }

  private static final class History implements AutoCloseable {
    final Random random;
    final TokenBucket limit;
    final RuleSet rules;
    final MemoryStore store;
    final List<Charged> charges = new ArrayList<>();
    final List<Reserved> reservations = new ArrayList<>();
    final Map<Long, Held> holds = new HashMap<>();
    final Map<Long, Grant> grants = new HashMap<>();
    long order;
    long now = START;

    History(Random random) {
      this.random = random;
      long permits = 1 + random.nextLong(random.nextBoolean() ? 20 : 1_000);
      var rate = Rate.of(permits, Duration.ofMillis(500 + random.nextLong(60_000)));
      this.limit = new TokenBucket(rate, 1 + random.nextLong(2 * permits));
      this.rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
      this.store = new MemoryStore(new CellTable(10), () -> now, () -> {});
    }

    @Override
    public void close() {
      store.close();
    }

    Plan plan(long cost) {
      return rules.plan(Request.of(Subject.of("k"), cost), 0, 1);
    }

    private long amount() {
      return 1 + random.nextLong(limit.burst());
    }

    private static <T> T join(CompletionStage<T> stage) {
      return stage.toCompletableFuture().join();
    }

    private ReservationStore reserving() {
      return store.reservations().orElseThrow();
    }

    void step() {
      int kind = random.nextInt(16);
      if (kind < 4) now += 1 + random.nextLong(Math.max(1, limit.window() / 8));
      endLeases();
      if (kind >= 4 && kind < 8) reserve();
      else if (kind == 8) check();
      else if (kind < 12) hold(random.nextInt(3));
      else if (kind >= 12 && !reservations.isEmpty()) {
        operate(reservations.get(random.nextInt(reservations.size())));
      }
    }

    /** Charges the holds of instances that have not reported in time. */
    private void endLeases() {
      holds.values().stream()
          .filter(held -> held.until <= now)
          .forEach(held -> charges.add(new Charged(held.until, held.amount)));
      holds.values().removeIf(held -> held.until <= now);
    }

    private void check() {
      long cost = amount();
      if (plan(cost).allows(store.decide(plan(cost)).outcomes())) {
        charges.add(new Charged(now, cost));
      }
    }

    private void reserve() {
      var plan = plan(amount());
      var made = join(reserving().reserve(plan));
      if (!plan.allows(made.result().outcomes())) return;
      var receipt = made.receipts().getFirst();
      var charge = plan.charges().getFirst();
      var reserved =
          new ReservedCharge(
              0, charge, receipt.at(), receipt.freshAt(), true, limit.burst(), ExpiryCharge.USED);
      var one = new Reserved(reserved, "n" + reservations.size());
      assertThat(join(reserving().open(one.nonce, one.nonce, now + TTL, List.of(reserved))))
          .isTrue();
      reservations.add(one);
    }

    /** An instance reports what it has spent, and renews or releases its hold. */
    private void hold(long holder) {
      var grant = grants.getOrDefault(holder, new Grant(0, 0, 0));
      long spent = grant.amount == 0 ? 0 : random.nextLong(grant.amount + 1);
      var usage = new Usage(spent, grant.amount, grant.until);
      long want = random.nextInt(3) == 0 ? 0 : amount();
      long lease = 1 + random.nextLong(2 * limit.window());
      var request = new HoldRequest(holder, ++order, usage, 0, want, lease);
      var reply = join(store.holds().orElseThrow().hold(plan(1).charges().getFirst(), request));
      var before = holds.remove(holder);
      long used = before != null ? usedOf(before, usage) : now < usage.until() ? spent : 0;
      if (used > 0) charges.add(new Charged(now, used));
      if (reply.held() > 0) holds.put(holder, new Held(reply.held(), now + lease));
      boolean lost = random.nextInt(6) == 0;
      if (!lost) grants.put(holder, new Grant(0, reply.held(), reply.until()));
      if (random.nextInt(10) == 0) grants.remove(holder);
    }

    /** If the reply to the last request was lost, the usage is a share of the present hold. */
    private static long usedOf(Held held, Usage usage) {
      if (held.amount == usage.held() || usage.held() == 0)
        return Math.min(usage.spent(), held.amount);
      return Math.ceilDiv(usage.spent() * held.amount, usage.held());
    }

    private void operate(Reserved one) {
      boolean settles = random.nextBoolean();
      long cost = one.charge.charge().cost();
      long target = random.nextInt(6) == 0 ? cost + random.nextLong(3) : random.nextLong(cost + 1);
      long more = settles ? 0 : random.nextLong(limit.burst() / 2 + 1);
      var action = settles ? Action.SETTLE : Action.UPDATE;
      var entry = new ReservationCommand.Entry(one.charge, target, more);
      var command =
          new ReservationCommand(one.nonce, one.nonce, now + TTL, action, TTL, List.of(entry));
      var reply = join(reserving().apply(command));
      if (one.ended || reply.status() == Status.UNKNOWN) return;
      if (settles) one.correctTo(target, now);
      else if (target > one.total()) one.correctTo(target, now);
      if (reply.grown()) one.correctTo(one.total() + more, now);
      one.ended = settles;
      assertThat(reply.counters().getFirst().charged()).isEqualTo(one.total());
    }

    /** Returns the permits that the store has left for others. */
    long left() {
      return store.peekAtZeroCost(plan(1).charges().getFirst()).remaining();
    }

    /** Returns the permits that a bucket has left which was charged the present amounts. */
    long trulyLeft() {
      long permits = limit.rate().permitsInLowestTerms();
      long period = limit.rate().periodInLowestTerms();
      var all = new ArrayList<>(charges);
      for (var one : reservations) all.addAll(one.pieces);
      all.sort(Comparator.comparingLong(Charged::at));
      long debt = 0;
      long last = START;
      for (var one : all) {
        debt = Math.max(0, debt - (one.at - last) * permits) + one.amount * period;
        last = one.at;
      }
      debt = Math.max(0, debt - (now - last) * permits);
      long held = holds.values().stream().mapToLong(Held::amount).sum();
      return Math.max(0, Math.max(0, limit.burst() * period - debt) / period - held);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void bucketNeverHasMoreLeftThanOneThatWasChargedTheRealCosts(long seed) {
    var seeds = new Random(seed);
    for (int i = 0; i < 300; i++) {
      try (var history = new History(new Random(seeds.nextLong()))) {
        for (int steps = 0; steps < 80; steps++) {
          history.step();
          assertThat(history.left())
              .as("history %d, step %d, %s", i, steps, history.limit)
              .isLessThanOrEqualTo(history.trulyLeft());
        }
      }
    }
  }
}
