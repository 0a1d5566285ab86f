package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.HeldState;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Plan;
import io.headgate.store.HoldStore;
import io.headgate.store.Store;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The behaviour required of a store that holds permits for holders of their own. */
abstract class HoldContract extends SlotContract {
  private static final long LEASE = 10_000_000;
  private static final Holdable LIMIT = FixedWindow.of(Rate.of(10, Duration.ofDays(1)));

  static Stream<Holdable> everyHoldable() {
    var rate = Rate.of(12, Duration.ofMinutes(1));
    return Stream.of(TokenBucket.of(rate), FixedWindow.of(rate), SlidingWindow.of(rate));
  }

  private HoldStore holds(Store store) {
    assumeTrue(store.holds().isPresent(), "the store has no holds");
    return store.holds().orElseThrow();
  }

  private HoldStore.Reply hold(Store store, Plan plan, HoldRequest request) {
    return holds(store).hold(charge(plan), request).toCompletableFuture().join();
  }

  private static HoldRequest request(long holder, long order, Usage usage, long want) {
    return new HoldRequest(holder, order, usage, 0, want, LEASE);
  }

  @Test
  void heldPermitsAreUnavailableToOthers() {
    var store = open();
    var plan = plan(LIMIT, "k");
    assertThat(hold(store, plan, request(1, 1, Usage.NONE, 7)).held()).isEqualTo(7);
    assertThat(hold(store, plan, request(2, 1, Usage.NONE, 7)).held()).isEqualTo(3);
    assertThat(decide(store, plan)).isInstanceOf(Refused.class);
  }

  @Test
  void spentPermitsAreChargedAndTheRestReturns() {
    var store = open();
    var plan = plan(LIMIT, "k");
    var held = hold(store, plan, request(1, 1, Usage.NONE, 7));
    assertThat(held.until()).isEqualTo(clock.micros() + LEASE);
    var released = hold(store, plan, request(1, 2, new Usage(4, 7, held.until()), 0));
    assertThat(released.held()).isZero();
    assertThat(decide(store, plan).remaining()).isEqualTo(5);
  }

  @Test
  void holdIsChargedWhenItsLeaseEnds() {
    var store = open();
    var plan = plan(LIMIT, "k");
    hold(store, plan, request(1, 1, Usage.NONE, 7));
    clock.advance(Duration.ofSeconds(11));
    assertThat(decide(store, plan).remaining()).isEqualTo(2);
  }

  @Test
  void holdsOfACounterWithChargesKeepThem() {
    var store = open();
    var plan = plan(TokenBucket.of(Rate.of(10, Duration.ofDays(1))), "k");
    for (int i = 0; i < 4; i++) assertThat(decide(store, plan)).isInstanceOf(Passed.class);
    assertThat(hold(store, plan, request(1, 1, Usage.NONE, 10)).held()).isEqualTo(6);
    assertThat(decide(store, plan)).isInstanceOf(Refused.class);
  }

  /** The arithmetic itself is the oracle: two holders and checks on one counter. */
  @ParameterizedTest
  @MethodSource("everyHoldable")
  void anyHistoryOfHoldsFollowsTheArithmetic(Holdable limit) {
    var store = open();
    var plan = plan(limit, "k");
    var random = new Random(55);
    State state = State.FRESH;
    var usages = new Usage[] {Usage.NONE, Usage.NONE};
    for (int i = 1; i <= 150; i++) {
      clock.advance(Duration.ofMillis(random.nextInt(4_000)));
      long now = clock.micros();
      if (random.nextInt(3) == 0) {
        var step =
            state instanceof HeldState held ? held.step(limit, now, 1) : limit.step(state, now, 1);
        assertThat(decide(store, plan)).isEqualTo(step.outcome());
        state = step.state();
        continue;
      }
      int holder = random.nextInt(2);
      var last = usages[holder];
      var usage = new Usage(random.nextLong(last.held() + 1), last.held(), last.until());
      var request = new HoldRequest(holder, i, usage, random.nextInt(2), random.nextInt(8), LEASE);
      var expected = request.from(limit, state, now);
      var reply = hold(store, plan, request);
      assertThat(reply)
          .isEqualTo(new HoldStore.Reply(expected.outcome(), expected.held(), now + LEASE));
      state = expected.state();
      usages[holder] = reply.held() == 0 ? Usage.NONE : new Usage(0, reply.held(), reply.until());
    }
  }
}
