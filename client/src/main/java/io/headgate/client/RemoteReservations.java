package io.headgate.client;

import io.headgate.Costs;
import io.headgate.client.RemoteReservationState.Cancelled;
import io.headgate.client.RemoteReservationState.Fallback;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Updates, settles and cancels reservations of a service by their ids, with the method names of
 * {@link io.headgate.Reservations}. Any instance that shares the store accepts an id, so that
 * another program can settle a reservation.
 *
 * <p>While the service is unavailable, the {@link FailureMode} decides, and the state is {@link
 * Fallback}. A settlement and a cancellation are idempotent. They are repeated once within the
 * deadline if their response is lost, and are sent even if the last calls failed. An update is not
 * repeated, since it may add permits. An id that is not valid, or whose reservation ended more than
 * ten minutes ago, is a {@link RequestRejectedException} with status 404 in every mode.
 *
 * <p>Thread-safe. An id is a credential: any program that has it can settle the reservation.
 */
public final class RemoteReservations {
  private static final String PATH = "/v1/reservations";

  private final ServiceCalls calls;

  RemoteReservations(ServiceCalls calls) {
    this.calls = calls;
  }

  CompletableFuture<RemoteReservation> reserve(Request request, Duration ttl) {
    var body = ReservationBodies.reserve(request, ReservationSettings.requireTtl(ttl));
    return calls.orFallback(
        calls
            .sendIfAvailable("POST", PATH, body)
            .thenApply(response -> calls.replies().reservation(response, request, this)),
        problem -> RemoteReservation.withoutService(this, calls.fallback(problem)));
  }

  /** Updates as {@link RemoteReservation#update(Costs, Costs)} does. */
  public RemoteReservationState update(String id, Costs usedSoFar, Costs more) {
    return calls.await(() -> updated(id, usedSoFar, more, ReservationSettings.MAX_TTL));
  }

  /** Updates as {@link RemoteReservation#update(Costs, Costs)} does, without blocking. */
  public CompletionStage<RemoteReservationState> updateAsync(
      String id, Costs usedSoFar, Costs more) {
    return updateAsync(id, usedSoFar, more, ReservationSettings.MAX_TTL);
  }

  /**
   * Updates as {@link RemoteReservation#update(Costs, Costs)} does, without blocking.
   *
   * @param ttl the time by which to extend the reservation, at most that which it was made with
   * @throws IllegalArgumentException if {@code ttl} is shorter than a second or longer than an hour
   */
  public CompletionStage<RemoteReservationState> updateAsync(
      String id, Costs usedSoFar, Costs more, Duration ttl) {
    return ServiceCalls.handedOver(updated(id, usedSoFar, more, ttl));
  }

  private CompletableFuture<RemoteReservationState> updated(
      String id, Costs usedSoFar, Costs more, Duration ttl) {
    var body = ReservationBodies.update(usedSoFar, more, ReservationSettings.requireTtl(ttl));
    return orFallback(
        calls.sendIfAvailable("PATCH", path(id), body).thenApply(calls.replies()::state));
  }

  /** Settles as {@link RemoteReservation#settle} does. */
  public RemoteReservationState settle(String id, Costs actual) {
    return calls.await(() -> settled(id, actual));
  }

  /** Settles as {@link RemoteReservation#settle} does, without blocking the calling thread. */
  public CompletionStage<RemoteReservationState> settleAsync(String id, Costs actual) {
    return ServiceCalls.handedOver(settled(id, actual));
  }

  private CompletableFuture<RemoteReservationState> settled(String id, Costs actual) {
    var body = ReservationBodies.settlement(actual);
    return orFallback(
        calls.sendIdempotent("POST", path(id) + "/settle", body).thenApply(calls.replies()::state));
  }

  /** Cancels as {@link RemoteReservation#cancel} does. */
  public RemoteReservationState cancel(String id) {
    return calls.await(() -> cancelled(id));
  }

  /** Cancels as {@link RemoteReservation#cancel} does, without blocking the calling thread. */
  public CompletionStage<RemoteReservationState> cancelAsync(String id) {
    return ServiceCalls.handedOver(cancelled(id));
  }

  private CompletableFuture<RemoteReservationState> cancelled(String id) {
    return orFallback(
        calls
            .sendIdempotent("DELETE", path(id), ServiceCalls.NO_BODY)
            .thenApply(response -> {
              if (response.status() / 100 == 2) return new Cancelled();
              throw calls.replies().problem(response);
            }));
  }

  private CompletableFuture<RemoteReservationState> orFallback(
      CompletableFuture<RemoteReservationState> call) {
    return calls.orFallback(
        call, problem -> new Fallback(calls.isFailOpen(), String.valueOf(problem.getMessage())));
  }

  /** Proxies resolve these segments, escaped or not, so that the path would be another one. */
  private static String path(String id) {
    if (id.isEmpty() || id.equals(".") || id.equals("..")) {
      throw new IllegalArgumentException(
          "'%s' is not the id of a reservation; use the id as it was returned".formatted(id));
    }
    return PATH + "/" + ServiceCalls.segment(id);
  }
}
