package io.headgate.internal.script;

import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationParts;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservationReply.Status;
import io.headgate.reservation.ReservedCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.Budget;
import io.headgate.store.PlanResult;
import io.headgate.store.ReservationStore;
import io.headgate.store.ReservedPlan;
import io.headgate.store.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Stores reservations on the servers of a script: one record per reservation and hash slot beside
 * the counters, changed by the same script in the same call. Thread-safe.
 *
 * <p>An operation on a reservation that spans slots has one command per slot, each idempotent by
 * itself. Such a reservation can't grow, since no script could add permits to all slots or to none.
 */
public final class ScriptReservationStore implements ReservationStore {
  /** Decides plans by failure policies while Redis is unavailable. */
  @FunctionalInterface
  public interface Guard {
    /** Decides a plan by the function, or by policies if it fails or would. */
    CompletionStage<PlanResult> decide(
        Plan plan, Function<Plan, CompletionStage<PlanResult>> decide);
  }

  private static final Guard NO_POLICY = (plan, decide) -> decide.apply(plan);

  private final ScriptExecutor executor;
  private final OpenReservations list;
  private final Guard guard;

  ScriptReservationStore(ScriptExecutor executor, OpenReservations list) {
    this(executor, list, NO_POLICY);
  }

  private ScriptReservationStore(ScriptExecutor executor, OpenReservations list, Guard guard) {
    this.executor = executor;
    this.list = list;
    this.guard = guard;
  }

  ScriptReservationStore with(Guard other) {
    return new ScriptReservationStore(executor, list, other);
  }

  @Override
  public CompletionStage<ReservedPlan> reserve(Plan plan) {
    var made = new AtomicReference<ReservedPlan>();
    return guard
        .decide(
            plan,
            same ->
                executor
                    .reserve(same)
                    .thenApply(reply -> {
                      made.set(reply);
                      return reply.result();
                    }))
        .thenApply(result -> {
          var reply = made.get();
          return reply == null ? decidedWithoutStore(result) : reply;
        });
  }

  /** A reservation without receipts is one of the failure policies, even if the store was late. */
  private static ReservedPlan decidedWithoutStore(PlanResult result) {
    return new ReservedPlan(new PlanResult(result.outcomes(), Source.FALLBACK), List.of());
  }

  /**
   * Lists the reservation in the background. Its charges are not lost if that fails: it can be
   * settled by its id, and stays charged as reserved otherwise.
   */
  @Override
  public CompletionStage<Boolean> open(
      String nonce, String token, long expiresAt, List<ReservedCharge> charges) {
    boolean full = list.isFullFor(token);
    if (full) charges.forEach(this::giveBack);
    else list.add(token, expiresAt, () -> storeRecord(nonce, token, expiresAt, charges));
    return CompletableFuture.completedStage(!full);
  }

  /**
   * Stores the record of a reservation that is listed. If that fails, a sweep within ten minutes of
   * its expiry ends it all the same.
   */
  private void storeRecord(
      String nonce, String token, long expiresAt, List<ReservedCharge> charges) {
    var command = ReservationCommand.opening(nonce, token, expiresAt, charges);
    if (command == null) return;
    for (var group : groups(command)) {
      var unused = executor.submit(ScriptCommand.reservation(ReservationParts.of(command, group)));
    }
  }

  private void giveBack(ReservedCharge made) {
    executor.giveBackLater(new ChargeReceipt(made.charge(), made.at(), made.freshAt()));
  }

  @Override
  public List<Budget> budgets() {
    return List.of(list.budget());
  }

  /** Sends the last changes of the list of open reservations. */
  void close() {
    list.close();
  }

  @Override
  public boolean isFull() {
    return list.isFull();
  }

  @Override
  public CompletionStage<ReservationReply> apply(ReservationCommand command) {
    var groups = groups(command);
    if (groups.isEmpty()) return CompletableFuture.completedStage(withoutCounters(command));
    if (groups.size() == 1) {
      return executor
          .submit(ScriptCommand.reservation(command))
          .thenApply(reply -> applied(command, reply));
    }
    var replies = new ArrayList<CompletableFuture<ReservationReply>>(groups.size());
    for (var group : groups) {
      var part = ReservationParts.of(command, group);
      replies.add(executor.submit(ScriptCommand.reservation(part)).toCompletableFuture());
    }
    return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
        .thenApply(done ->
            applied(
                command,
                ReservationParts.combined(
                    command, groups, replies.stream().map(CompletableFuture::join).toList())));
  }

  /** Returns the positions of the command's entries by hash slot. */
  private List<List<Integer>> groups(ReservationCommand command) {
    var bySlot = new TreeMap<Integer, List<Integer>>();
    for (int i = 0; i < command.entries().size(); i++) {
      int slot = executor.hashSlot(command.entries().get(i).reserved().charge());
      bySlot.computeIfAbsent(slot, same -> new ArrayList<>()).add(i);
    }
    return List.copyOf(bySlot.values());
  }

  /** Returns the reply for a reservation none of whose rules exists any more. */
  private ReservationReply withoutCounters(ReservationCommand command) {
    var status =
        switch (command.action()) {
          case UPDATE -> Status.OPEN;
          case SETTLE -> Status.SETTLED;
          case EXPIRE -> Status.EXPIRED;
        };
    return applied(command, new ReservationReply(status, command.expiresAt(), false, List.of()));
  }

  /** Updates the list of open reservations, and publishes counters that have permits again. */
  private ReservationReply applied(ReservationCommand command, ReservationReply reply) {
    for (int i = 0; i < reply.counters().size(); i++) {
      if (!reply.counters().get(i).wasExhausted()) continue;
      executor.publishReturn(command.entries().get(i).reserved().charge());
    }
    switch (reply.status()) {
      case OPEN -> list.reschedule(command.token(), reply.expiresAt());
      case SETTLED, EXPIRED -> list.remove(command.token());
      case UNKNOWN -> {
        // A client that is too late leaves the reservation to the sweep.
        if (command.action() == Action.EXPIRE) list.remove(command.token());
      }
    }
    return reply;
  }

  @Override
  public CompletionStage<Void> charge(List<Charge> charges) {
    var all =
        charges.stream()
            .map(charge -> executor.chargeSpent(charge).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(all);
  }

  @Override
  public CompletionStage<List<String>> expired(int max) {
    return list.due(max);
  }

  @Override
  public CompletionStage<List<String>> listed(int max) {
    return list.all(max);
  }

  @Override
  public void discard(String token) {
    list.remove(token);
  }

  @Override
  public void postpone(String token, long until) {
    list.reschedule(token, until);
  }

  @Override
  public long openCount() {
    return list.count();
  }

  @Override
  public List<byte[]> secrets() {
    return list.hasSecret() ? list.secrets() : List.of();
  }

  /** Returns the secret of this instance if Redis is unavailable. */
  @Override
  public CompletionStage<List<byte[]>> refreshSecrets() {
    return list.refresh().handle((done, problem) -> list.secrets());
  }
}
