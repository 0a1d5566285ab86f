package io.headgate.store;

import static io.headgate.internal.outage.TestPlans.START;
import static io.headgate.internal.outage.TestPlans.charge;
import static io.headgate.internal.outage.TestPlans.passes;
import static io.headgate.internal.outage.TestPlans.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.BucketState;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests cells whose lock is held for seconds: no thread waits for them forever. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StuckLockTest {
  private static final Rate THREE = Rate.perMinute(3);
  private static final Limit BUCKET = TokenBucket.of(THREE);
  private static final Limit WINDOW = FixedWindow.of(THREE);
  private static final Limit LOG = RollingWindow.of(THREE); // in a state cell

  private final CellTable table = new CellTable(1_000);
  private final MemoryStore store = new MemoryStore(table, () -> START, () -> {});

  static List<Limit> limits() {
    return List.of(BUCKET, WINDOW, LOG);
  }

  /** Every operation on a cell, each in a thread of its own, while the locks are never released. */
  @Test
  void operationsFailIfALockIsHeldForSeconds() throws Exception {
    var operations = new ArrayList<Runnable>();
    for (var limit : limits()) {
      String key = limit.algorithm().id();
      lock(limit, key);
      operations.add(() -> store.decide(plan(limit, key)));
      operations.add(() -> store.peek(plan(limit, key)));
      operations.add(() -> store.peekAtZeroCost(charge(limit, key)));
    }
    lock(BUCKET, "b");
    operations.add(() -> store.decide(pair("a", "b")));
    operations.add(() -> store.holds().orElseThrow().hold(charge(BUCKET, "b"), hold()));
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      var results = new ArrayList<Future<?>>();
      for (var operation : operations) results.add(threads.submit(operation));
      for (var result : results) {
        assertThatThrownBy(result::get)
            .cause()
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("locked by a thread that has not unlocked it within 2 s");
      }
    }
    assertThat(store.peekAtZeroCost(charge(BUCKET, "a")).remaining())
        .as("the other limit of the plan is neither charged nor locked")
        .isEqualTo(3);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void requestsOfAStuckCellFailAtOnceUntilItIsUnlocked(Limit limit) {
    assertThat(passes(store, plan(limit, "k"))).isTrue();
    var cell = table.obtain(charge(limit, "k"), START);
    var state = Objects.requireNonNull(cell.lock());
    assertThat(cell.isStuck()).isFalse();
    assertThat(cell.markStuck()).isTrue();
    for (int i = 0; i < 1_000; i++) { // each would wait for seconds
      assertThatThrownBy(() -> store.decide(plan(limit, "k"))).hasMessageContaining("'k'");
    }
    cell.unlock(state, false);
    assertThat(cell.isStuck()).isFalse();
    assertThat(passes(store, plan(limit, "k"))).isTrue();
    assertThat(store.peekAtZeroCost(charge(limit, "k")).remaining()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void unlockedCellCanNotBeMarkedStuck(Limit limit) {
    passes(store, plan(limit, "k"));
    var cell = table.obtain(charge(limit, "k"), START);
    assertThat(cell.markStuck()).isFalse();
    cell.retire();
    assertThat(cell.markStuck()).isFalse();
    assertThat(cell.isDead()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("limits")
  void resetMakesAStuckCounterUsable(Limit limit) {
    lock(limit, "k").markStuck();
    var charge = charge(limit, "k");
    store.reset(charge.counter(), charge.key());
    assertThat(passes(store, plan(limit, "k"))).isTrue();
  }

  @ParameterizedTest
  @MethodSource("limits")
  void sweepAndEvictionPassOverLockedCells(Limit limit) {
    var small = new CellTable(4);
    var full = new MemoryStore(small, () -> START, () -> {});
    passes(full, plan(limit, "locked"));
    var cell = small.obtain(charge(limit, "locked"), START);
    cell.lock();
    for (int i = 0; i < 100; i++) full.decide(plan(limit, "k" + i));
    assertThat(full.trackedKeys()).isLessThanOrEqualTo(4);
    small.sweep(START + 3_600_000_000L, 0, 1);
    assertThat(full.trackedKeys()).as("only the locked one is left").isEqualTo(1);
    assertThat(cell.isDead()).isFalse();
  }

  /** The error occurs at each access to the list of charges in turn, with and without locks. */
  @Test
  void errorInTheMiddleOfAPlanUnlocksAllCells() {
    var plan = triple("e");
    passes(store, plan);
    var charges = plan.charges();
    var cells = new Cell[charges.size()];
    for (int i = 0; i < cells.length; i++) cells[i] = table.obtain(charges.get(i), START);
    int errors = 0;
    for (boolean done = false; !done; ) {
      try {
        done = NestedLocks.charge(cells, failingAt(errors, charges), START) != null;
      } catch (StackOverflowError e) {
        errors++;
      }
      for (var cell : cells) assertThat(cell.isLocked()).as("after error %d", errors).isFalse();
    }
    assertThat(errors).isGreaterThan(cells.length);
    for (var outcome : store.peek(plan).outcomes()) {
      assertThat(outcome.remaining()).as("charged twice, and peeked at").isEqualTo(0);
    }
  }

  @Test
  void stateThatDoesNotFitItsCellUnlocksAllCellsUnchanged() {
    var plan = triple("w");
    passes(store, plan);
    var charges = plan.charges();
    var cells = new Cell[charges.size()];
    for (int i = 0; i < cells.length; i++) cells[i] = table.obtain(charges.get(i), START);
    try (var locked = new LockedCells(cells, charges)) {
      var steps = new ArrayList<>(plan.step(locked.states(), START));
      var endless = new Step(new BucketState(1L << 60, 0, 1), new Passed(0, 0, 0));
      for (int i = 0; i < cells.length; i++) {
        if (cells[i] instanceof BucketCell) steps.set(i, endless);
      }
      assertThatThrownBy(() -> locked.store(steps)).hasMessageContaining("can't store");
    }
    for (var cell : cells) assertThat(cell.isLocked()).isFalse();
    assertThat(passes(store, plan)).isTrue();
  }

  private Cell lock(Limit limit, String key) {
    var cell = table.obtain(charge(limit, key), START);
    State state = cell.lock();
    assertThat(state).isNotNull();
    return cell;
  }

  /** Returns a plan of two limits of the rule of {@link io.headgate.internal.outage.TestPlans}. */
  private static Plan pair(String one, String other) {
    var part = plan(BUCKET, one).parts().getFirst();
    var both =
        new Plan.Part(
            part.rule(), -1, List.of(part.counters().getFirst(), part.counters().getFirst()), 0);
    return Plan.ofParts(List.of(both), List.of(charge(BUCKET, one), charge(BUCKET, other)));
  }

  private static Plan triple(String key) {
    var rule = Rule.named("triple").per("key");
    for (var limit : limits()) {
      rule.limit(RuleLimit.of(limit.algorithm().id(), limit));
    }
    return RuleSet.of(rule.build()).plan(Request.of(Subject.of(key)), 0, 0);
  }

  private static HoldRequest hold() {
    return new HoldRequest(1, HoldRequest.Usage.NONE, 1, 1, 1_000_000);
  }

  private static List<Charge> failingAt(int access, List<Charge> charges) {
    return new AbstractList<>() {
      private int accesses;

      @Override
      public Charge get(int index) {
        if (accesses++ == access) throw new StackOverflowError();
        return charges.get(index);
      }

      @Override
      public int size() {
        return charges.size();
      }
    };
  }
}
