package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stores states in the memory of this JVM, for a single instance.
 *
 * <p>A plan with one charge updates one cell; for a token or leaky bucket that is a lock-free
 * compare-and-set. A plan with several charges locks its own cells, for a fraction of a
 * microsecond.
 *
 * <p>Memory is bounded. A background thread sweeps states that have become fresh. When the store is
 * full, each new state evicts another; {@link Segment} describes which.
 *
 * <p>Thread-safe and linearizable.
 */
public final class MemoryStore implements Store {
  /** The default maximum number of counters. */
  public static final int DEFAULT_MAX_KEYS = 1_000_000;

  private final CellTable table;
  private final Ticker ticker;
  private final Runnable onClose;
  private final SignalStore signals;
  private final MemoryReservationStore reservations;
  private final MemoryHoldStore holds;

  /**
   * Creates a store over a table that the caller sweeps.
   *
   * @param onClose run by {@link #close}
   */
  MemoryStore(CellTable table, Ticker ticker, Runnable onClose) {
    this.table = table;
    this.ticker = ticker;
    this.onClose = onClose;
    this.signals = new MemorySignalStore(ticker);
    this.reservations = new MemoryReservationStore(this, table);
    this.holds = new MemoryHoldStore(this, table);
  }

  /** Creates a store with the system clock and {@link #DEFAULT_MAX_KEYS}. */
  public static MemoryStore create() {
    return create(Ticker.system(), DEFAULT_MAX_KEYS);
  }

  /**
   * Creates a store that a background thread sweeps until it is closed.
   *
   * @param maxKeys the maximum number of counters with a state, at least 1. A plan with more
   *     counters than that exceeds it temporarily.
   */
  public static MemoryStore create(Ticker ticker, int maxKeys) {
    if (maxKeys < 1) {
      throw new IllegalArgumentException(
          "a store must keep at least 1 key, got %d; the default is %d"
              .formatted(maxKeys, DEFAULT_MAX_KEYS));
    }
    var table = new CellTable(maxKeys);
    return new MemoryStore(table, ticker, new Sweeper(table, ticker)::close);
  }

  /** Rejects times of another unit or epoch, which would overflow the word of a cell. */
  long now() {
    long now = ticker.micros();
    if (Long.compareUnsigned(now, WordCell.LATEST) > 0) {
      throw new IllegalStateException(
          "the clock returned %d; it must return microseconds since 1970 (at most %d, in 2077)"
              .formatted(now, WordCell.LATEST));
    }
    return now;
  }

  @Override
  public PlanResult decide(Plan plan) {
    return decide(plan, now());
  }

  /** Decides a plan at a given time. */
  PlanResult decide(Plan plan, long now) {
    var single = plan.single();
    if (single == null) return decideAll(plan, now);
    var outcome = decide(single, now); // evaluated before the allocation, which saves a GC barrier
    return new PlanResult(outcome, Source.STORE);
  }

  /**
   * Decides a plan of one charge, whose outcome does not depend on how the rule combines limits.
   */
  private Outcome decide(Charge charge, long now) {
    while (true) {
      var outcome = table.obtain(charge, now).decide(charge, now);
      if (outcome != null) return outcome;
    }
  }

  private PlanResult decideAll(Plan plan, long now) {
    if (plan.chargesAllIfAllPass()) {
      var charges = plan.charges();
      var outcomes = NestedLocks.charge(obtain(charges, now), charges, now);
      if (outcomes != null) return new PlanResult(Arrays.asList(outcomes), Source.STORE);
    }
    return result(decideSteps(plan, now));
  }

  /** Decides the charges of a plan at a given time, and stores the resulting states. */
  List<Step> decideSteps(Plan plan, long now) {
    var charges = plan.charges();
    for (LockWait wait = null; ; ) {
      var locked = new LockedCells(obtain(charges, now), charges);
      try (locked) {
        if (locked.isComplete()) {
          var steps = plan.step(locked.states(), now);
          locked.store(steps);
          return steps;
        }
      }
      wait = locked.awaitLock(wait);
    }
  }

  private @Nullable Cell[] obtain(List<Charge> charges, long now) {
    var cells = new @Nullable Cell[charges.size()];
    for (int i = 0; i < cells.length; i++) cells[i] = table.obtain(charges.get(i), now);
    return cells;
  }

  @Override
  public PlanResult peek(Plan plan) {
    long now = now();
    for (LockWait wait = null; ; ) {
      var cells = find(plan);
      if (cells.length > 1 && Arrays.asList(cells).contains(null)) {
        return peekWithSegmentsLocked(plan, now);
      }
      var locked = new LockedCells(cells, plan.charges());
      try (locked) {
        if (locked.isComplete()) return result(plan.step(locked.states(), now));
      }
      wait = locked.awaitLock(wait);
    }
  }

  /**
   * Peeks at a plan of which some cells are missing. The segments are locked so that no other plan
   * adds these cells meanwhile: part of its charges would then be visible and the rest not.
   */
  private PlanResult peekWithSegmentsLocked(Plan plan, long now) {
    var segments = table.segmentsOf(plan.charges());
    for (var segment : segments) segment.lock();
    try {
      for (LockWait wait = null; ; ) {
        var locked = new LockedCells(find(plan), plan.charges());
        try (locked) {
          if (locked.isComplete()) return result(plan.step(locked.states(), now));
        }
        wait = locked.awaitLock(wait);
      }
    } finally {
      for (var segment : segments) segment.unlock();
    }
  }

  /** Returns the outcome of a charge's limit at cost 0, without changing its state. */
  public Outcome peekAtZeroCost(Charge charge) {
    long now = now();
    var atZeroCost = charge.withCost(0);
    for (LockWait wait = null; ; ) {
      var cells = new @Nullable Cell[] {table.find(charge.counter(), charge.key())};
      var locked = new LockedCells(cells, List.of(charge));
      try (locked) {
        if (locked.isComplete()) return atZeroCost.step(locked.states().getFirst(), now).outcome();
      }
      wait = locked.awaitLock(wait);
    }
  }

  private @Nullable Cell[] find(Plan plan) {
    var charges = plan.charges();
    var cells = new @Nullable Cell[charges.size()];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = table.find(charges.get(i).counter(), charges.get(i).key());
    }
    return cells;
  }

  @Override
  public boolean renew(Charge charge) {
    return updateSlot(charge, (slots, state, now) -> slots.renew(state, now, charge.holder()));
  }

  @Override
  public boolean release(Charge charge) {
    return updateSlot(charge, (slots, state, now) -> slots.release(state, now, charge.holder()));
  }

  @Override
  public boolean release(Charge charge, CompletedCall call) {
    return updateSlot(
        charge, (slots, state, now) -> slots.release(state, now, charge.holder(), call));
  }

  private interface SlotUpdate {
    State apply(SlotLimit slots, State state, long now);
  }

  /** Updates the slot of the charge's holder; returns false if it has none. */
  private boolean updateSlot(Charge charge, SlotUpdate update) {
    if (!(charge.limit() instanceof SlotLimit slots)) return false;
    long now = now();
    while (true) {
      var cell = table.find(charge.counter(), charge.key());
      if (cell == null || !cell.accepts(charge)) return false;
      var state = cell.lock();
      if (state == null) continue;
      var next = state;
      try {
        next = update.apply(slots, state, now);
        return SlotLimit.holds(state, now, charge.holder());
      } finally {
        if (next.equals(state)) cell.restore(state);
        else cell.unlock(next, false);
      }
    }
  }

  static PlanResult result(List<Step> steps) {
    var outcomes = new Outcome[steps.size()];
    for (int i = 0; i < outcomes.length; i++) outcomes[i] = steps.get(i).outcome();
    return new PlanResult(Arrays.asList(outcomes), Source.STORE);
  }

  @Override
  public void reset(Counter counter, String key) {
    var cell = table.find(counter, key);
    if (cell == null) return;
    reservations.resetting(counter, key, stateOf(cell));
    table.remove(counter, key);
  }

  private static State stateOf(Cell cell) {
    for (LockWait wait = null; ; ) {
      var state = cell.read();
      if (state != null) return state;
      if (cell.isStuck()) return State.FRESH; // a reset must not fail because of it
      wait = LockWait.next(wait, cell);
    }
  }

  @Override
  public long trackedKeys() {
    return table.size();
  }

  @Override
  public Optional<SignalStore> signals() {
    return Optional.of(signals);
  }

  @Override
  public Optional<ReservationStore> reservations() {
    return Optional.of(reservations);
  }

  @Override
  public Optional<HoldStore> holds() {
    return Optional.of(holds);
  }

  @Override
  public void close() {
    onClose.run();
  }
}
