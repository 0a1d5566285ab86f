package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.store.Store;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The behaviour required of every store for the slots of concurrency limits. */
abstract class SlotContract extends StoreScenario {

  static Stream<Limit> everyKind() {
    return Limits.ofEveryKind(4).stream();
  }

  @Test
  void slotIsHeldUntilReleased() {
    var store = open();
    var slots = Concurrency.of(2).withLease(Duration.ofSeconds(30));
    var first = plan(slots, "k", 1, 1);
    var second = plan(slots, "k", 1, 2);
    var third = plan(slots, "k", 1, 3);
    assertThat(decide(store, first)).isInstanceOf(Passed.class);
    assertThat(decide(store, second)).isInstanceOf(Passed.class);
    assertThat(decide(store, third)).isInstanceOf(Refused.class);
    assertThat(store.release(charge(third))).isFalse();
    assertThat(store.release(charge(first))).isTrue();
    assertThat(store.release(charge(first))).isFalse();
    assertThat(decide(store, third)).isInstanceOf(Passed.class);
    assertThat(decide(store, first)).isInstanceOf(Refused.class);
  }

  @Test
  void slotExpiresUnlessRenewed() {
    var store = open();
    var slots = Concurrency.of(1).withLease(Duration.ofSeconds(30));
    var first = plan(slots, "k", 1, 1);
    var second = plan(slots, "k", 1, 2);
    decide(store, first);
    clock.advance(Duration.ofSeconds(29));
    assertThat(store.renew(charge(first))).isTrue();
    clock.advance(Duration.ofSeconds(29));
    assertThat(decide(store, second)).isInstanceOf(Refused.class);
    clock.advance(Duration.ofSeconds(1));
    assertThat(store.renew(charge(first))).isFalse();
    assertThat(decide(store, second)).isInstanceOf(Passed.class);
    assertThat(store.release(charge(first))).isFalse();
  }

  /** An operation on another slot of the counter, or on the expired slot itself. */
  static Stream<Named<BiConsumer<Store, Charge>>> slotOperations() {
    return Stream.of(
        Named.of("renew of the expired slot", Store::renew),
        Named.of("release of the expired slot", Store::release),
        Named.of("renew of another slot", (store, charge) -> store.renew(ofHolder(charge, 2))),
        Named.of("release of another slot", (store, charge) -> store.release(ofHolder(charge, 2))),
        Named.of("renew without a slot", (store, charge) -> store.renew(ofHolder(charge, 9))),
        Named.of("release without a slot", (store, charge) -> store.release(ofHolder(charge, 9))));
  }

  private static Charge ofHolder(Charge charge, long holder) {
    return new Charge(charge.counter(), charge.key(), charge.cost(), holder);
  }

  /** Otherwise the holder could be told that its slot has expired and later that it has not. */
  @ParameterizedTest
  @MethodSource("slotOperations")
  void slotSeenToExpireStaysExpiredWhenTheClockStepsBack(BiConsumer<Store, Charge> operation) {
    var store = open();
    var slots = Concurrency.of(3).withLease(Duration.ofSeconds(30));
    var first = plan(slots, "k", 1, 1);
    decide(store, first);
    clock.advance(Duration.ofSeconds(10));
    decide(store, plan(slots, "k", 1, 2));
    clock.advance(Duration.ofSeconds(20));
    operation.accept(store, charge(first));
    clock.set(clock.micros() - 1);
    assertThat(store.renew(charge(first))).isFalse();
    assertThat(store.release(charge(first))).isFalse();
    assertThat(decide(store, plan(slots, "k", 2, 3))).isInstanceOf(Passed.class);
  }

  /** Only operations that may change the state record that a slot has expired. */
  @Test
  void slotSeenToExpireByAPeekIsStillHeldWhenTheClockStepsBack() {
    var store = open();
    var slots = Concurrency.of(1).withLease(Duration.ofSeconds(30));
    var first = plan(slots, "k", 1, 1);
    decide(store, first);
    clock.advance(Duration.ofSeconds(30));
    assertThat(store.peek(plan(slots, "k", 1, 2)).first()).isInstanceOf(Passed.class);
    clock.set(clock.micros() - 1);
    assertThat(decide(store, plan(slots, "k", 1, 2))).isInstanceOf(Refused.class);
    assertThat(store.renew(charge(first))).isTrue();
  }

  /** A slot may be released after its rule was changed to another algorithm. */
  @ParameterizedTest
  @MethodSource("everyKind")
  void slotOperationLeavesTheStateOfAnotherAlgorithm(Limit limit) {
    if (limit instanceof Concurrency) return;
    var store = open();
    var slots = Concurrency.of(3).withLease(Duration.ofSeconds(30));
    var slot = charge(plan(slots, "k", 1, 1));
    exhaust(store, plan(limit, "k"));
    var before = store.peek(plan(limit, "k", 0)).outcomes();
    assertThat(store.release(slot)).isFalse();
    assertThat(store.renew(slot)).isFalse();
    assertThat(store.peek(plan(limit, "k", 0)).outcomes()).isEqualTo(before);
    assertThat(decide(store, plan(limit, "k"))).isInstanceOf(Refused.class);
  }

  @Test
  void onlySlotsCanBeRenewedOrReleased() {
    var store = open();
    var plan = plan(TokenBucket.of(Rate.perMinute(1)), "k");
    decide(store, plan);
    assertThat(store.renew(charge(plan))).isFalse();
    assertThat(store.release(charge(plan))).isFalse();
    assertThat(decide(store, plan)).isInstanceOf(Refused.class);
  }
}
