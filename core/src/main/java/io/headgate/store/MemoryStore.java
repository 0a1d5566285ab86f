package io.headgate.store;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps states in the memory of this JVM: no set-up, one instance.
 *
 * <p>A plan of one limit swaps one cell; a bucket's without any lock. A plan of several locks its
 * own cells and no others, for the fraction of a microsecond that it takes.
 *
 * <p>Bounded: idle states go away by themselves, and beyond a number of states the one that says
 * least is forgotten for each new one. {@link Segment} says which that is.
 */
public final class MemoryStore implements Store {
  public static final int DEFAULT_MOST_KEYS = 1_000_000;

  private final CellTable table;
  private final Ticker ticker;
  private final Runnable onClose;

  public MemoryStore(CellTable table, Ticker ticker, Runnable onClose) {
    this.table = table;
    this.ticker = ticker;
    this.onClose = onClose;
  }

  public static MemoryStore create() {
    return create(Ticker.system(), DEFAULT_MOST_KEYS);
  }

  /**
   * A store with a clock and a size of its own.
   *
   * @param mostKeys how many counters may have a state at once; if a plan has more than that, its
   *     own may be more for a while
   */
  public static MemoryStore create(Ticker ticker, int mostKeys) {
    if (mostKeys < 1) {
      throw new IllegalArgumentException(
          "a store must keep at least 1 key, got %d; the default is %d"
              .formatted(mostKeys, DEFAULT_MOST_KEYS));
    }
    var table = new CellTable(mostKeys);
    return new MemoryStore(table, ticker, new Sweeper(table, ticker)::close);
  }

  /** A clock that counts something else would make states that no cell can hold. */
  private long now() {
    long now = ticker.micros();
    if (now < 0 || now > WordCell.LATEST) {
      throw new IllegalStateException(
          "the clock says %d; it must tell microseconds since 1970 (at most %d, in 2077)"
              .formatted(now, WordCell.LATEST));
    }
    return now;
  }

  @Override
  public PlanResult decide(Plan plan) {
    var single = plan.single();
    if (single == null) return takeAll(plan);
    var outcome = take(single); // before the answer is made, or the collector is told of it
    return new PlanResult(outcome, Source.STORE);
  }

  /** A plan of one limit is that limit: whatever the rule combines, there is nothing to weigh. */
  private Outcome take(Charge charge) {
    long now = now();
    while (true) {
      var outcome = table.obtain(charge, now).take(charge, now);
      if (outcome != null) return outcome;
    }
  }

  private PlanResult takeAll(Plan plan) {
    long now = now();
    for (; ; Cell.yieldTo()) {
      var cells = new ArrayList<@Nullable Cell>(plan.charges().size());
      for (var charge : plan.charges()) cells.add(table.obtain(charge, now));
      try (var held = new LockedCells(cells)) {
        if (!held.isComplete()) continue;
        var steps = plan.step(held.states(), now);
        held.keep(steps);
        return answer(steps);
      }
    }
  }

  @Override
  public PlanResult peek(Plan plan) {
    long now = now();
    for (; ; Cell.yieldTo()) {
      var cells = find(plan);
      if (cells.size() > 1 && cells.contains(null)) return peekWhileNoneIsAdded(plan, now);
      try (var held = new LockedCells(cells)) {
        if (held.isComplete()) return answer(plan.step(held.states(), now));
      }
    }
  }

  /** Otherwise a plan that adds what is missing here could be seen in part: in the cells found. */
  private PlanResult peekWhileNoneIsAdded(Plan plan, long now) {
    var segments = table.segmentsOf(plan.charges());
    for (var segment : segments) segment.lock();
    try {
      for (; ; Cell.yieldTo()) {
        try (var held = new LockedCells(find(plan))) {
          if (held.isComplete()) return answer(plan.step(held.states(), now));
        }
      }
    } finally {
      for (var segment : segments) segment.unlock();
    }
  }

  /** What the limit of a charge reports at no cost. */
  public Outcome standing(Charge charge) {
    long now = now();
    var look = new Charge(charge.counter(), charge.key(), 0, charge.holder());
    for (; ; Cell.yieldTo()) {
      var cells = new ArrayList<@Nullable Cell>(1);
      cells.add(table.find(charge.counter(), charge.key()));
      try (var held = new LockedCells(cells)) {
        if (held.isComplete()) return look.step(held.states().getFirst(), now).outcome();
      }
    }
  }

  private List<@Nullable Cell> find(Plan plan) {
    var cells = new ArrayList<@Nullable Cell>(plan.charges().size());
    for (var charge : plan.charges()) cells.add(table.find(charge.counter(), charge.key()));
    return cells;
  }

  @Override
  public boolean renew(Charge charge) {
    return alter(charge, (slots, state, now) -> slots.renew(state, now, charge.holder()));
  }

  @Override
  public boolean release(Charge charge) {
    return alter(charge, (slots, state, now) -> slots.release(state, now, charge.holder()));
  }

  private interface Alteration {
    State of(Concurrency slots, State state, long now);
  }

  /** Changes the state of a holder's slot; false if the holder has none. */
  private boolean alter(Charge charge, Alteration alteration) {
    if (!(charge.limit() instanceof Concurrency slots)) return false;
    long now = now();
    while (true) {
      var cell = table.find(charge.counter(), charge.key());
      if (cell == null || !cell.suits(charge)) return false;
      var state = cell.lock();
      if (state == null) continue;
      var next = state;
      try {
        var current = slots.adopt(state, now);
        boolean holds = current.holds(charge.holder());
        next = holds ? alteration.of(slots, current, now) : current;
        return holds;
      } finally {
        cell.unlock(next, false);
      }
    }
  }

  private static PlanResult answer(List<Step> steps) {
    var outcomes = new ArrayList<Outcome>(steps.size());
    for (var step : steps) outcomes.add(step.outcome());
    return new PlanResult(outcomes, Source.STORE);
  }

  @Override
  public void reset(Counter counter, String key) {
    table.remove(counter, key);
  }

  @Override
  public long trackedKeys() {
    return table.size();
  }

  @Override
  public void close() {
    onClose.run();
  }
}
