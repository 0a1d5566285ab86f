package io.headgate.client;

import io.headgate.Costs;
import io.headgate.Decision;
import io.headgate.client.RemoteReservationState.Fallback;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The result of {@link HeadgateClient#reserve}, with the permits that it holds at the service, and
 * the methods of {@link io.headgate.Reservation}. If the request was denied it holds none, and
 * every operation but {@link #close} fails.
 *
 * {@snippet file="io/headgate/client/ClientExamplesTest.java" region="reservation"}
 *
 * <p>If the client allowed the request while the service was unavailable, {@link
 * RemoteResult#failure} of {@link #result} has the reason. Such a reservation has no id and holds
 * nothing: {@link #update} lets the request go on, and the other operations have no effect. Their
 * state is {@link Fallback}.
 *
 * <p>Operations use the deadline and the failure mode of the client that reserved. They fail with a
 * {@link RequestRejectedException} if the service rejects them, and with a {@link
 * HeadgateException} if it is unavailable and the failure mode is THROW.
 *
 * <p>Safe for use by several threads. {@link #toString} omits the id, with which any program can
 * settle the reservation.
 */
public final class RemoteReservation implements AutoCloseable {
  private final RemoteReservations reservations;
  private final RemoteResult result;
  private final Optional<String> id;
  private final Optional<Instant> expiresAt;
  private final Costs reserved;
  private final Costs requested;
  private final AtomicReference<Optional<Costs>> reported = new AtomicReference<>(Optional.empty());
  private final AtomicBoolean ended = new AtomicBoolean();

  RemoteReservation(
      RemoteReservations reservations,
      RemoteResult result,
      Optional<String> id,
      Optional<Instant> expiresAt,
      Costs reserved,
      Costs requested) {
    this.reservations = reservations;
    this.result = result;
    this.id = id;
    this.expiresAt = expiresAt;
    this.reserved = reserved;
    this.requested = requested;
  }

  /** Returns a reservation that holds nothing: a denial, or a decision of the failure mode. */
  static RemoteReservation withoutService(RemoteReservations reservations, RemoteResult result) {
    return new RemoteReservation(
        reservations, result, Optional.empty(), Optional.empty(), Costs.NONE, Costs.NONE);
  }

  /** Returns the result of the check, by the granted amounts. */
  public RemoteResult result() {
    return result;
  }

  /** Returns the decision; {@link Decision.Impossible} if a rule refuses the estimate. */
  public Decision decision() {
    return result.decision();
  }

  /** Returns whether the request may go ahead. */
  public boolean isAllowed() {
    return result.isAllowed();
  }

  /**
   * Returns the id for {@link HeadgateClient#reservations}; empty if the service holds nothing. A
   * credential, which does not belong into logs.
   */
  public Optional<String> id() {
    return id;
  }

  /**
   * Returns when the reservation expires unless it is updated, by the clock of the service's store;
   * empty if the service holds nothing.
   */
  public Optional<Instant> expiresAt() {
    return expiresAt;
  }

  /** Returns the granted costs; none if the service holds nothing. */
  public Costs reserved() {
    return reserved;
  }

  /** Returns the granted amount of a named cost; empty if no limit spends it. */
  public OptionalLong reserved(String cost) {
    return reserved.cost(cost);
  }

  /** Returns the costs before rules reduced them to their {@code max-share}. */
  public Costs requested() {
    return requested;
  }

  /** Updates as {@link #update(Costs, Costs)} does, without more permits. */
  public RemoteReservationState update(Costs usedSoFar) {
    return update(usedSoFar, Costs.NONE);
  }

  /**
   * Reports the usage so far, extends the expiry, and may add permits. Not repeated if its response
   * is lost; the next update reports the usage again.
   *
   * @param usedSoFar the usage since the beginning. Usage beyond the reservation is charged at once
   * @param more permits to add by named costs: all of them or, if one limit does not have them,
   *     none
   * @return the state; {@link RemoteReservationState#mayContinue} is false if nothing is left, and
   *     the request should end
   * @throws IllegalArgumentException if {@code more} has a plain cost
   * @throws IllegalStateException if the request was denied
   */
  public RemoteReservationState update(Costs usedSoFar, Costs more) {
    return reporting(usedSoFar)
        .map(open -> reservations.update(open, usedSoFar, more))
        .orElseGet(this::fallback);
  }

  /** Updates as {@link #update(Costs, Costs)} does, without blocking the calling thread. */
  public CompletionStage<RemoteReservationState> updateAsync(Costs usedSoFar, Costs more) {
    return reporting(usedSoFar)
        .map(open -> reservations.updateAsync(open, usedSoFar, more))
        .orElseGet(this::completedFallback);
  }

  /**
   * Charges the real cost and returns the rest. A cost that is not reported stays charged as
   * reserved. Idempotent, and repeated once within the deadline if its response is lost: it is
   * charged once, and a repetition returns the first result.
   *
   * @throws IllegalStateException if the request was denied
   */
  public RemoteReservationState settle(Costs actual) {
    return ending().map(open -> reservations.settle(open, actual)).orElseGet(this::fallback);
  }

  /** Settles as {@link #settle} does, without blocking the calling thread. */
  public CompletionStage<RemoteReservationState> settleAsync(Costs actual) {
    return ending()
        .map(open -> reservations.settleAsync(open, actual))
        .orElseGet(this::completedFallback);
  }

  /**
   * Returns everything, as if the request had not been made. Idempotent, and repeated once within
   * the deadline if its response is lost.
   *
   * @throws IllegalStateException if the request was denied
   */
  public RemoteReservationState cancel() {
    return ending().map(reservations::cancel).orElseGet(this::fallback);
  }

  /** Cancels as {@link #cancel} does, without blocking the calling thread. */
  public CompletionStage<RemoteReservationState> cancelAsync() {
    return ending().map(reservations::cancelAsync).orElseGet(this::completedFallback);
  }

  /**
   * Ends the reservation unless {@link #settle} or {@link #cancel} was called: charges the usage
   * that was last reported, or returns everything if none was. Ignores a {@link HeadgateException}:
   * the reservation expires.
   */
  @Override
  public void close() {
    if (id.isEmpty() || ended.getAndSet(true)) return;
    try {
      var usage = reported.get();
      var unused =
          usage.isPresent()
              ? reservations.settle(id.get(), usage.get())
              : reservations.cancel(id.get());
    } catch (HeadgateException e) {
      // The reservation expires.
    }
  }

  private Optional<String> reporting(Costs usedSoFar) {
    requireAllowed();
    reported.set(Optional.of(usedSoFar));
    return id;
  }

  /**
   * From here on, {@link #close} has no effect: if the settlement fails, a cancellation would
   * return what was used.
   */
  private Optional<String> ending() {
    requireAllowed();
    ended.set(true);
    return id;
  }

  private void requireAllowed() {
    if (!result.isAllowed()) {
      throw new IllegalStateException(
          "the reservation was denied, so there is nothing to update or settle; check isAllowed"
              + " first");
    }
  }

  private RemoteReservationState fallback() {
    return new Fallback(true, result.failure().orElse(""));
  }

  private CompletionStage<RemoteReservationState> completedFallback() {
    return CompletableFuture.completedStage(fallback());
  }

  @Override
  public String toString() {
    return "RemoteReservation[decision=%s, source=%s, id=%s, reserved=%s, expiresAt=%s]"
        .formatted(
            decision(), result.source(), id.isPresent() ? "(set)" : "none", reserved, expiresAt);
  }
}
