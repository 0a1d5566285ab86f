package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HeldState;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlidingWindow.Bound;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.redis.KeyLayout;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationRecord;
import io.headgate.reservation.ReservationStep;
import io.headgate.reservation.ReservedCharge;
import io.headgate.reservation.ReservedCharge.ExpiryCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.TestEffort;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs charges and operations on reservations in Java and in Lua, in batches, and compares every
 * field of the results, to the microsecond. The clock sometimes steps back, and limits change.
 */
@ParameterizedClass
@EnumSource(KeyLayout.class)
class ReservationParityTest {
  private static final int BATCHES = TestEffort.of(500, 1_000);
  private static final long SECOND = 1_000_000;
  private static TestServer redis;

  @Parameter KeyLayout layout;

  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_117);
  private final Map<String, State> states = new HashMap<>();
  private final Map<String, ReservationRecord> records = new HashMap<>();
  private final Map<String, ReturnHistory> returns = new HashMap<>();
  private final List<Open> reservations = new ArrayList<>();
  private long holds;

  /** A reservation that was made, with its charges. */
  private record Open(String nonce, long expiresAt, List<ReservedCharge> charges) {}

  @BeforeParameterizedClassInvocation
  static void start(KeyLayout layout) {
    redis = TestServer.start(layout);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    redis.close();
  }

  static Stream<List<Limit>> limits() {
    return Stream.of(
        List.of(
            TokenBucket.of(Rate.of(7, Duration.ofSeconds(3))).withBurst(11),
            TokenBucket.of(Rate.of(7, Duration.ofSeconds(3))).withBurst(50)),
        List.of(new TokenBucket(Rate.of(999_983, Duration.ofSeconds(100_000)), 40)),
        // The clock passes its refill time slowly, so that it has more returns than are stored.
        List.of(new TokenBucket(Rate.of(100, Duration.ofSeconds(100)), 100)),
        List.of(new TokenBucket(Rate.of(3, Duration.ofNanos(2_000)), 30)),
        List.of(
            TokenBucket.of(Rate.of(7, Duration.ofSeconds(3))).withMaxDebt(10 * SECOND),
            TokenBucket.of(Rate.of(7, Duration.ofSeconds(3))).withMaxDebt(0)),
        List.of(
            new TokenBucket(Rate.of(999_983, Duration.ofSeconds(100_000)), 40)
                .withMaxDebt(Long.MAX_VALUE - 1)),
        List.of(new TokenBucket(Rate.of(3, Duration.ofNanos(2_000)), 30).withMaxDebt(100)),
        List.of(
            FixedWindow.of(Rate.of(20, Duration.ofSeconds(4))),
            SlidingWindow.of(Rate.of(20, Duration.ofSeconds(10)))),
        List.of(
            FixedWindow.of(30, new Window.Calendar(Window.Unit.HOUR, ZoneId.of("Europe/Berlin")))),
        List.of(
            SlidingWindow.of(Rate.of(20, Duration.ofSeconds(10)))
                .withBuckets(4)
                .withBound(Bound.CONSERVATIVE)),
        List.of(
            Concurrency.of(5).withLease(Duration.ofSeconds(5)),
            LeakyBucket.of(Rate.perSecond(3)).withQueue(9)));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void reservationsAreCorrectedTheSameInLuaAsInJava(List<Limit> limits) {
    redis.flush();
    for (int i = 0; i < BATCHES; i++) {
      clock.advance(Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(4_000) : 1));
      if (random.nextInt(50) == 0) clock.advance(Duration.ofMillis(-random.nextInt(900)));
      if (random.nextInt(200) == 0) clock.advance(Duration.ofMinutes(11));
      runBatch(limits);
    }
  }

  /** Resets a counter as a store does: records the reset, and then deletes the counter. */
  private void reset(Limit limit, long now) {
    var charge = charge(random.nextInt(2), limit, 0, 0);
    var state = states.getOrDefault(charge.key(), State.FRESH);
    returns.put(charge.key(), ReturnHistory.ofReset(limit, state, now));
    states.remove(charge.key());
    var batch = new Batch(new CounterKeys("headgate:"), LimitFormat.NUMBERS);
    ScriptCommand.resetting(charge).writeTo(batch);
    redis.decide(batch, now);
    redis.delete(batch.keys()[0]);
  }

  private void runBatch(List<Limit> limits) {
    long now = clock.micros();
    if (random.nextInt(60) == 0 && limits.getFirst() instanceof Holdable limit) reset(limit, now);
    var batch = new Batch(new CounterKeys("headgate:"), LimitFormat.NUMBERS);
    var comparisons = new ArrayList<Consumer<ReplyReader>>();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      if (random.nextInt(5) == 0 && limits.getFirst() instanceof Holdable limit) {
        hold(limit, now, batch, comparisons);
      } else if (random.nextInt(3) == 0 || reservations.isEmpty())
        charge(limits, now, batch, comparisons);
      else operate(limits, now, batch, comparisons);
    }
    var reply = new ReplyReader(redis.decide(batch, now));
    comparisons.forEach(comparison -> comparison.accept(reply));
  }

  private <T> T oneOf(T[] values) {
    return List.of(values).get(random.nextInt(values.length));
  }

  private static Charge charge(int key, Limit limit, long cost, long holder) {
    var rule = Rule.named("rule").match("key", "*").limit(limit).build();
    var request = Request.of(Subject.of("k" + key), cost);
    return RuleSet.of(rule).plan(request, 0, holder).charges().getFirst();
  }

  /** Charges one or two counters; a charge that passes becomes a reservation. */
  private void charge(
      List<Limit> limits, long now, Batch batch, List<Consumer<ReplyReader>> comparisons) {
    var charges = new ArrayList<Charge>();
    long holder = 1 + random.nextLong(1_000_000);
    var limit = limits.get(random.nextInt(4) == 0 ? random.nextInt(limits.size()) : 0);
    for (int key = 0; key <= random.nextInt(2); key++) {
      charges.add(charge(key, limit, 1 + random.nextInt(6), holder));
    }
    var command = new ScriptCommand.ChargesCommand(List.copyOf(charges), true);
    command.writeTo(batch);
    var steps =
        charges.stream()
            .map(charge -> charge.step(states.getOrDefault(charge.key(), State.FRESH), now))
            .toList();
    boolean passed = steps.stream().allMatch(step -> step.outcome() instanceof Passed);
    var reserved = new ArrayList<ReservedCharge>();
    for (int i = 0; i < charges.size(); i++) {
      var charge = charges.get(i);
      var step = steps.get(i);
      if (!passed) {
        var unchanged = states.getOrDefault(charge.key(), State.FRESH);
        step = charge.withCost(0).step(unchanged, now);
      }
      states.put(charge.key(), step.state());
      var onExpiry = oneOf(ExpiryCharge.values());
      reserved.add(
          new ReservedCharge(
              i, charge, now, HeldState.receiptFreshAt(step, now), true, 15, onExpiry));
    }
    comparisons.add(reply -> {
      var read = command.read(reply);
      for (int i = 0; passed && i < steps.size(); i++) {
        assertThat(read.outcomes().get(i)).isEqualTo(steps.get(i).outcome());
        assertThat(read.freshAt().get(i)).isEqualTo(reserved.get(i).freshAt());
      }
    });
    if (!passed) return;
    var nonce = "n" + random.nextInt(1 << 30);
    reservations.add(new Open(nonce, now + (1 + random.nextInt(20)) * SECOND, reserved));
    if (reservations.size() > 20) reservations.remove(random.nextInt(20));
  }

  /** An instance reports what it has spent of its hold, and renews or releases it. */
  private void hold(
      Holdable limit, long now, Batch batch, List<Consumer<ReplyReader>> comparisons) {
    var charge = charge(random.nextInt(2), limit, 0, 0);
    long holder = random.nextInt(3);
    long held = random.nextInt(4);
    long spent = random.nextLong(held + 1);
    var usage = new HoldRequest.Usage(spent, held, now + random.nextInt(2) * SECOND);
    long lease = (1 + random.nextInt(9)) * SECOND;
    var request = new HoldRequest(holder, ++holds, usage, 0, random.nextInt(5), lease);
    var result = request.from(limit, states.getOrDefault(charge.key(), State.FRESH), now);
    states.put(charge.key(), result.state());
    var command = ScriptCommand.hold(charge, request, back -> {});
    command.writeTo(batch);
    comparisons.add(reply ->
        assertThat(command.read(reply))
            .as("%s at %d", request, now)
            .isEqualTo(new HoldResult(result.outcome(), result.held(), now + lease)));
  }

  /** Applies an operation to a random reservation, possibly under a changed limit. */
  private void operate(
      List<Limit> limits, long now, Batch batch, List<Consumer<ReplyReader>> comparisons) {
    var open = reservations.get(random.nextInt(reservations.size()));
    var action = oneOf(Action.values());
    var limit = limits.get(random.nextInt(10) == 0 ? random.nextInt(limits.size()) : 0);
    var entries = new ArrayList<ReservationCommand.Entry>();
    for (var made : open.charges) {
      var old = made.charge();
      var present = charge(made.index(), limit, old.cost(), old.holder());
      boolean same = limit.equals(old.limit());
      var reserved =
          new ReservedCharge(
              made.index(),
              same ? old : present,
              made.at(),
              made.freshAt(),
              same,
              made.maxAmount(),
              made.onExpiry());
      boolean isSlot = limit instanceof Concurrency;
      long target = isSlot || random.nextInt(5) == 0 ? -1 : random.nextInt(12);
      if (target == 11) target = random.nextBoolean() ? 1L << 52 : 100;
      long more = isSlot || action != Action.UPDATE ? 0 : Math.max(0, random.nextInt(8) - 4);
      entries.add(new ReservationCommand.Entry(reserved, target, more));
    }
    var command =
        new ReservationCommand(open.nonce, "id", open.expiresAt, action, 5 * SECOND, entries);
    var record = records.getOrDefault(open.nonce, ReservationRecord.open(open.expiresAt));
    var before =
        entries.stream()
            .map(entry -> states.getOrDefault(entry.reserved().charge().key(), State.FRESH))
            .toList();
    var returned =
        entries.stream()
            .map(entry -> returns.getOrDefault(entry.reserved().charge().key(), ReturnHistory.NONE))
            .toList();
    var step = ReservationStep.of(record, command, before, returned, now);
    records.put(open.nonce, step.record());
    for (int i = 0; i < entries.size(); i++) {
      returns.put(entries.get(i).reserved().charge().key(), step.returns().get(i));
      states.put(entries.get(i).reserved().charge().key(), step.states().get(i));
    }
    var script = ScriptCommand.reservation(command);
    script.writeTo(batch);
    comparisons.add(reply ->
        assertThat(script.read(reply))
            .as("%s at %d on %s with %s", command, now, before, record)
            .isEqualTo(step.reply()));
  }
}
