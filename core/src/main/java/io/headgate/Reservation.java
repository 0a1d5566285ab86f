package io.headgate;

import io.headgate.rule.InvalidCostException;
import io.headgate.store.StoreException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The result of a {@linkplain RateLimiter#reserve reservation}, with the permits that it holds. If
 * the request was denied it holds none, and every operation but {@link #close} fails.
 *
 * <p>The client updates it while it works, and settles it with the real cost. Closing it without a
 * settlement charges the usage that was last reported, and returns everything if none was. A
 * reservation that is neither settled nor closed expires.
 *
 * <p>Safe for use by several threads.
 */
public final class Reservation implements AutoCloseable {
  private final Reservations reservations;
  private final CheckResult result;
  private final Optional<String> id;
  private final Optional<Instant> expiresAt;
  private final List<ReservedLimit> limits;
  private final AtomicReference<Optional<Costs>> reported = new AtomicReference<>(Optional.empty());
  private final AtomicBoolean ended = new AtomicBoolean();

  Reservation(
      Reservations reservations,
      CheckResult result,
      Optional<String> id,
      Optional<Instant> expiresAt,
      List<ReservedLimit> limits) {
    this.reservations = reservations;
    this.result = result;
    this.id = id;
    this.expiresAt = expiresAt;
    this.limits = List.copyOf(limits);
  }

  /** Returns the result of the check, by the granted amounts. */
  public CheckResult result() {
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
   * Returns the id with which any instance can update, settle or cancel the reservation; empty if
   * the request was denied. Unguessable, and of the URL-safe Base64 alphabet.
   */
  public Optional<String> id() {
    return id;
  }

  /** Returns when the reservation expires unless it is updated; empty if the request was denied. */
  public Optional<Instant> expiresAt() {
    return expiresAt;
  }

  /** Returns the limits with the amounts that were requested and granted; empty if denied. */
  public List<ReservedLimit> limits() {
    return limits;
  }

  /**
   * Returns the granted costs: for each name, the smallest amount that was granted by a limit that
   * spends it.
   */
  public Costs reserved() {
    var named = new HashMap<String, Long>();
    var plain = OptionalLong.empty();
    for (var limit : limits) {
      if (limit.cost().isPresent()) {
        named.merge(limit.cost().get(), limit.charged(), Math::min);
      } else {
        plain = OptionalLong.of(Math.min(plain.orElse(Long.MAX_VALUE), limit.charged()));
      }
    }
    return new Costs(plain, named);
  }

  /** Returns the granted amount of a named cost; empty if no limit spends it. */
  public OptionalLong reserved(String cost) {
    return reserved().cost(cost);
  }

  /** Updates as {@link #update(Costs, Costs)} does, without more permits. */
  public ReservationState update(Costs usedSoFar) {
    return update(usedSoFar, Costs.NONE);
  }

  /**
   * Records the usage so far, extends the expiry, and may add permits.
   *
   * @param usedSoFar the usage since the beginning. Usage beyond the reservation is charged at once
   * @param more permits to add: all of them or, if one limit does not have them, none
   */
  public ReservationState update(Costs usedSoFar, Costs more) {
    return Reservations.await(updateAsync(usedSoFar, more));
  }

  /** Updates as {@link #update(Costs, Costs)} does, without blocking the calling thread. */
  public CompletionStage<ReservationState> updateAsync(Costs usedSoFar, Costs more) {
    reported.set(Optional.of(usedSoFar));
    return reservations.updateAsync(requireId(), usedSoFar, more);
  }

  /**
   * Charges the real cost and returns the rest. A cost that is not reported stays charged as
   * reserved. Idempotent: a repetition returns the first result.
   *
   * @throws InvalidCostException if a cost is not one of the reservation's; nothing is settled
   */
  public ReservationState settle(Costs actual) {
    return Reservations.await(settleAsync(actual));
  }

  /** Settles as {@link #settle} does, without blocking the calling thread. */
  public CompletionStage<ReservationState> settleAsync(Costs actual) {
    reported.set(Optional.of(actual));
    return end(reservations.settleAsync(requireId(), actual));
  }

  /** Returns everything, as if the request had not been made. */
  public ReservationState cancel() {
    return Reservations.await(cancelAsync());
  }

  /** Cancels as {@link #cancel} does, without blocking the calling thread. */
  public CompletionStage<ReservationState> cancelAsync() {
    reported.set(Optional.empty());
    return end(reservations.cancelAsync(requireId()));
  }

  private CompletionStage<ReservationState> end(CompletionStage<ReservationState> stage) {
    return stage.thenApply(state -> {
      ended.set(true);
      return state;
    });
  }

  /**
   * Ends the reservation if it was not settled or cancelled: charges the usage that was last
   * reported, or returns everything if none was. Repeats a settlement or cancellation that failed.
   * Ignores a {@link StoreException}, and usage that was rejected when it was reported: the
   * reservation expires.
   */
  @Override
  public void close() {
    if (id.isEmpty() || ended.get()) return;
    try {
      var usage = reported.get();
      if (usage.isPresent()) settle(usage.get());
      else cancel();
    } catch (StoreException | InvalidCostException e) {
      // The reservation expires.
    }
  }

  private String requireId() {
    return id.orElseThrow(() ->
        new IllegalStateException(
            "the reservation was denied, so there is nothing to update or settle; check"
                + " isAllowed first"));
  }
}
