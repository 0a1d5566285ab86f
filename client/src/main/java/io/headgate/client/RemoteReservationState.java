package io.headgate.client;

import io.headgate.Costs;
import java.time.Instant;

/**
 * The state of a {@link RemoteReservation} after an update, a settlement or a cancellation, with
 * the amounts by cost that the service reports. If several limits spend one cost, its amount is the
 * smallest of them. Limits without a named cost have the plain cost.
 */
public sealed interface RemoteReservationState {
  /**
   * The reservation holds permits.
   *
   * @param expiresAt the time at which it expires unless it is updated again, by the clock of the
   *     service's store
   * @param mayContinue whether the client may go on; false if nothing is left
   * @param grown whether the permits that the update requested were added; false if it requested
   *     none
   * @param reserved the permits that are not used yet
   */
  record Open(Instant expiresAt, boolean mayContinue, boolean grown, Costs reserved)
      implements RemoteReservationState {}

  /**
   * The real cost is charged, and the rest was returned. A repeated settlement has the same
   * amounts.
   *
   * @param charged the permits that were charged
   * @param returned the permits that were returned; none if this is the response to an update
   */
  record Settled(Costs charged, Costs returned) implements RemoteReservationState {}

  /**
   * Everything was returned, unless the reservation was settled before: then nothing has changed.
   */
  record Cancelled() implements RemoteReservationState {}

  /**
   * The reservation has expired, and was charged as its rules say. The client should end its
   * request. It can still settle for ten minutes.
   *
   * @param charged the permits that were charged
   */
  record Expired(Costs charged) implements RemoteReservationState {}

  /**
   * The service granted the reservation while its store was unavailable. The operation changed no
   * counter.
   */
  record Local() implements RemoteReservationState {}

  /**
   * The failure mode of the client decided: the service did not confirm the operation, or the
   * client granted the reservation itself. A reservation that the service made expires, and is
   * charged as {@code on-expiry} of its rules says, unless a later operation reaches the service.
   *
   * @param mayContinue whether the client may go on: true for fail-open, and for a reservation that
   *     the client granted
   * @param failure why the service did not decide
   */
  record Fallback(boolean mayContinue, String failure) implements RemoteReservationState {}

  /** Returns whether the client may go on with its request. */
  default boolean mayContinue() {
    return switch (this) {
      case Open open -> open.mayContinue;
      case Fallback fallback -> fallback.mayContinue;
      case Local local -> true;
      case Settled settled -> false;
      case Cancelled cancelled -> false;
      case Expired expired -> false;
    };
  }
}
