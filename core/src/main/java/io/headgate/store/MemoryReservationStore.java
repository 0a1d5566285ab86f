package io.headgate.store;

import io.headgate.limit.GiveBack;
import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.reservation.Ledger;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationRecord;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservationReply.Status;
import io.headgate.reservation.ReservationStep;
import io.headgate.reservation.ReservedCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stores the reservations of a {@link MemoryStore}. Their records are in a {@link
 * ReservationTable}; a step locks the record first and then the cells of its counters. Thread-safe.
 */
final class MemoryReservationStore implements ReservationStore {
  private static final int SECRET_BYTES = 32;

  /** Open reservations take at most this part of the heap, and those that have ended half of it. */
  private static final int OPEN_DIVISOR = 8;

  /** Returns and resets take at most this part of the heap. */
  private static final int RETURNS_DIVISOR = 32;

  private static final Outcome PASSED = new Outcome.Passed(0, 0, 0);

  private final MemoryStore store;
  private final CellTable cells;
  private final ReservationTable table =
      new ReservationTable(MAX_OPEN, MAX_PER_SUBJECT, ofHeap(OPEN_DIVISOR));
  private final ReturnTable returns = new ReturnTable(ofHeap(RETURNS_DIVISOR));
  private final List<byte[]> secrets;

  MemoryReservationStore(MemoryStore store, CellTable cells) {
    this.store = store;
    this.cells = cells;
    var secret = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    this.secrets = List.of(secret);
  }

  private static long ofHeap(int divisor) {
    return Runtime.getRuntime().maxMemory() / divisor;
  }

  @Override
  public List<Budget> budgets() {
    return table.budgets();
  }

  @Override
  public CompletionStage<ReservedPlan> reserve(Plan plan) {
    long now = store.now();
    var steps = store.decideSteps(plan, now);
    var result = MemoryStore.result(steps);
    var charged = plan.charged(result.outcomes());
    var receipts = new ArrayList<ReservedPlan.@Nullable Receipt>(charged.length);
    for (int i = 0; i < charged.length; i++) {
      long freshAt = HeldState.receiptFreshAt(steps.get(i), now);
      receipts.add(charged[i] ? new ReservedPlan.Receipt(now, freshAt) : null);
    }
    return CompletableFuture.completedStage(new ReservedPlan(result, receipts));
  }

  @Override
  public CompletionStage<Boolean> open(
      String nonce, String token, long expiresAt, List<ReservedCharge> charges) {
    var ledgers = new HashMap<Integer, Ledger>();
    for (var charge : charges) ledgers.put(charge.index(), Ledger.of(charge));
    var record = new ReservationRecord(Status.OPEN, expiresAt, ledgers);
    boolean added = table.add(nonce, token, record);
    if (!added) giveBack(charges);
    return CompletableFuture.completedStage(added);
  }

  private void giveBack(List<ReservedCharge> made) {
    long now = store.now();
    var charges = made.stream().map(ReservedCharge::charge).toList();
    update(
        charges,
        now,
        states -> {
          var next = new ArrayList<State>(states.size());
          var before = returns.of(charges, now);
          var after = new ArrayList<ReturnHistory>(states.size());
          for (int i = 0; i < states.size(); i++) {
            var returned = withoutCharge(made.get(i), states.get(i), before.get(i), now);
            next.add(returned.state());
            after.add(returned.history());
          }
          returns.store(charges, after);
          return next;
        });
  }

  private static GiveBack.Returned withoutCharge(
      ReservedCharge made, State state, ReturnHistory history, long now) {
    var charge = made.charge();
    if (charge.limit() instanceof SlotLimit slots) {
      return new GiveBack.Returned(slots.release(state, now, charge.holder()), history);
    }
    if (charge.limit() instanceof RollingWindow) return new GiveBack.Returned(state, history);
    var receipt = new GiveBack.Receipt(charge.cost(), made.at(), made.freshAt(), true);
    return GiveBack.of(
        charge.limit(), charge.shareOrNone(), state, history, now, charge.cost(), receipt);
  }

  @Override
  public boolean isFull() {
    return table.isFull();
  }

  @Override
  public CompletionStage<ReservationReply> apply(ReservationCommand command) {
    long now = store.now();
    var reply = table.update(command, now, record -> step(record, command, now));
    return CompletableFuture.completedStage(reply);
  }

  private ReservationStep step(ReservationRecord record, ReservationCommand command, long now) {
    var charges = command.entries().stream().map(entry -> entry.reserved().charge()).toList();
    var result = new ReservationStep[1];
    update(
        charges,
        now,
        states -> {
          result[0] = ReservationStep.of(record, command, states, returns.of(charges, now), now);
          returns.store(charges, result[0].returns());
          return result[0].states();
        });
    return result[0];
  }

  /**
   * Replaces the states of several counters atomically. Usage may exceed a limit by any amount, so
   * that the state does not fit into the word of a cell.
   */
  private void update(List<Charge> charges, long now, Function<List<State>, List<State>> change) {
    for (LockWait wait = null; ; ) {
      var found = new @Nullable Cell[charges.size()];
      for (int i = 0; i < found.length; i++)
        found[i] = cells.obtainForAnyState(charges.get(i), now);
      var locked = new LockedCells(found, charges);
      try (locked) {
        if (locked.isComplete()) {
          var steps = new ArrayList<Step>(charges.size());
          var next = change.apply(locked.states());
          for (var state : next) steps.add(new Step(state, PASSED));
          locked.store(steps);
          return;
        }
      }
      wait = locked.awaitLock(wait);
    }
  }

  @Override
  public CompletionStage<Void> charge(List<Charge> charges) {
    long now = store.now();
    update(
        charges,
        now,
        states -> {
          var next = new ArrayList<State>(states.size());
          for (int i = 0; i < states.size(); i++) {
            next.add(charged(charges.get(i), states.get(i), now));
          }
          return next;
        });
    return CompletableFuture.completedStage(null);
  }

  /** Charges as many permits as are available if the limit can't be charged beyond its capacity. */
  private static State charged(Charge charge, State state, long now) {
    if (charge.limit() instanceof SlotLimit) return state;
    if (charge.limit() instanceof Holdable limit) {
      return HeldState.charged(limit, state, now, charge.cost()).state();
    }
    var step = charge.step(state, now);
    if (!(step.outcome() instanceof Passed)) {
      step = charge.withCost(step.outcome().remaining()).step(state, now);
    }
    return step.state();
  }

  @Override
  public CompletionStage<List<String>> expired(int max) {
    long now = store.now();
    sweepReturns(now);
    return CompletableFuture.completedStage(table.expired(now, max));
  }

  /** Records that a counter is about to be reset: its charges return nothing later. */
  void resetting(Counter counter, String key, State state) {
    if (counter.limit() instanceof Holdable) returns.reset(counter, key, state, store.now());
  }

  /** Drops the returns that have expired by a time. */
  void sweepReturns(long now) {
    returns.sweep(now);
  }

  @Override
  public CompletionStage<List<String>> listed(int max) {
    return CompletableFuture.completedStage(table.listed(max));
  }

  @Override
  public void discard(String token) {
    table.discard(token);
  }

  @Override
  public long openCount() {
    return table.openCount();
  }

  @Override
  public List<byte[]> secrets() {
    return secrets;
  }

  @Override
  public CompletionStage<List<byte[]>> refreshSecrets() {
    return CompletableFuture.completedStage(secrets);
  }
}
