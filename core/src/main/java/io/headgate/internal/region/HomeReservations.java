package io.headgate.internal.region;

import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationReply;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.RegionScope;
import io.headgate.store.HoldStore;
import io.headgate.store.ReservationStore;
import io.headgate.store.ReservedPlan;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Reserves permits at home. Before each operation on a counter that regions share, a request that
 * holds nothing is sent: a home that has lost the counter then takes it for exhausted, as it does
 * for shares. Home refuses both while it may have lost shares. Thread-safe.
 */
final class HomeReservations {
  private final ReservationStore home;
  private final HoldStore holds;
  private final long lease;
  private final long holder = new SecureRandom().nextLong(HoldStore.HOLDER_IDS);

  /**
   * Creates the reservations at home.
   *
   * @param lease a lease that home accepts, in microseconds
   */
  HomeReservations(ReservationStore home, HoldStore holds, long lease) {
    this.home = home;
    this.holds = holds;
    this.lease = lease;
  }

  CompletionStage<ReservedPlan> reserve(Plan plan) {
    return after(plan.charges(), () -> home.reserve(plan));
  }

  CompletionStage<ReservationReply> apply(ReservationCommand command) {
    var charges = command.entries().stream().map(entry -> entry.reserved().charge()).toList();
    return after(charges, () -> home.apply(command));
  }

  CompletionStage<Void> charge(List<Charge> charges) {
    return after(charges, () -> home.charge(charges));
  }

  private <T> CompletionStage<T> after(
      List<Charge> charges, Supplier<CompletionStage<T>> operation) {
    var known =
        charges.stream()
            .filter(charge -> charge.counter().regions().scope() == RegionScope.SHARED)
            .map(charge -> holds.hold(charge.withCost(0), nothing()).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(known).thenCompose(done -> operation.get());
  }

  private HoldRequest nothing() {
    return new HoldRequest(holder, Usage.NONE, 0, 0, lease);
  }
}
