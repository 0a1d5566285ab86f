package io.headgate.store;

import static io.headgate.internal.outage.TestPlans.START;
import static io.headgate.internal.outage.TestPlans.passes;
import static io.headgate.internal.outage.TestPlans.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.TestEffort;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that fresh states are swept, and no others. */
class SweepTest {
  private static final long GRACE = 1_000_000;
  private static final TokenBucket ONE_PER_SECOND = TokenBucket.of(Rate.perSecond(1));

  private final AtomicLong clock = new AtomicLong(START);
  private final CellTable table = new CellTable(100_000);
  private final MemoryStore store = new MemoryStore(table, clock::get, () -> {});

  static Stream<Limit> limits() {
    var rate = Rate.perMinute(10);
    return Stream.of(
        TokenBucket.of(rate),
        FixedWindow.of(rate),
        SlidingWindow.of(rate),
        RollingWindow.of(rate),
        Concurrency.of(10));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void statesAreSweptOneSecondAfterTheyBecameFresh(Limit limit) {
    long fresh = START + store.decide(plan(limit, "k0")).first().resetAfter();
    for (int i = 1; i < 5_000; i++) store.decide(plan(limit, "k" + i));
    sweep(fresh + GRACE - 1);
    assertThat(store.trackedKeys()).isEqualTo(5_000);
    sweep(fresh + GRACE);
    assertThat(store.trackedKeys()).isZero();
  }

  @Test
  void requestThatReadTheClockEarlierStillFindsTheState() {
    assertThat(passes(store, plan(ONE_PER_SECOND, "k"))).isTrue();
    for (long later = 0; later < 1_000_000 + GRACE; later += 250_000) sweep(START + later);
    clock.set(START + 999_999);
    assertThat(passes(store, plan(ONE_PER_SECOND, "k"))).isFalse();
  }

  @Test
  void tableFindsItsCellsAfterItHasShrunk() {
    var day = TokenBucket.of(Rate.perDay(1));
    for (int i = 0; i < 50_000; i++)
      store.decide(plan(i % 100 == 0 ? day : ONE_PER_SECOND, "k" + i));
    for (int i = 0; i < 50_000; i += 100) assertThat(passes(store, plan(day, "k" + i))).isFalse();
    clock.addAndGet(10_000_000);
    sweep(clock.get());
    assertThat(store.trackedKeys()).isEqualTo(500);
    for (int i = 0; i < 50_000; i += 100) assertThat(passes(store, plan(day, "k" + i))).isFalse();
    assertThat(store.trackedKeys()).isEqualTo(500);
  }

  /** Each insertion sweeps one chain, so that the store does not grow if the sweeper is late. */
  @Test
  void insertionsSweepWithoutABackgroundSweeper() {
    for (int i = 0; i < TestEffort.of(60_000, 200_000); i++) {
      store.decide(plan(ONE_PER_SECOND, "k" + i));
      clock.addAndGet(10_000);
    }
    assertThat(store.trackedKeys()).isLessThan(20_000); // 200 are in use at any time
  }

  @Test
  void backgroundSweeperRemovesFreshStates() {
    try (var swept = MemoryStore.create(clock::get, 100)) {
      for (int i = 0; i < 50; i++) swept.decide(plan(ONE_PER_SECOND, "k" + i));
      clock.addAndGet(3_000_000);
      await().atMost(Duration.ofMinutes(1)).until(() -> swept.trackedKeys() == 0);
    }
  }

  @Test
  void unclosedStoreCanBeGarbageCollected() {
    var unclosed = new WeakReference<>(createUnclosedTable());
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> {
          System.gc();
          return unclosed.get() == null;
        });
  }

  private CellTable createUnclosedTable() {
    var unclosed = new CellTable(100);
    var sweeper = new Sweeper(unclosed, clock::get);
    new MemoryStore(unclosed, clock::get, sweeper::close).decide(plan(ONE_PER_SECOND, "k"));
    return unclosed;
  }

  /**
   * In each round the cell has just become eligible for a sweep, and is swept and charged
   * concurrently. A charge to a removed cell would be lost, and both charges would pass.
   */
  @Test
  void concurrentSweepLosesNoCharge() throws Exception {
    int rounds = 20_000;
    var together = new CyclicBarrier(3);
    var admitted = new AtomicLong();
    try (var threads = Executors.newFixedThreadPool(3)) {
      for (int i = 0; i < 3; i++) {
        boolean sweeps = i == 0;
        var unused =
            threads.submit(() -> {
              for (int round = 0; round < rounds; round++) {
                together.await();
                if (sweeps) sweep(clock.get());
                else if (passes(store, plan(ONE_PER_SECOND, "k"))) admitted.incrementAndGet();
                together.await();
                if (sweeps) clock.addAndGet(1_000_000 + GRACE);
              }
              return null;
            });
      }
    }
    assertThat(admitted).hasValue(rounds);
  }

  private void sweep(long now) {
    for (int part = 0; part < 10; part++) table.sweep(now, part, 10);
  }
}
