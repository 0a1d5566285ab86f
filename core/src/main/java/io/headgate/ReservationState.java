package io.headgate;

import java.time.Instant;
import java.util.List;

/** The state of a reservation after an update, a settlement or a cancellation. */
public sealed interface ReservationState {
  /**
   * The reservation holds permits.
   *
   * @param expiresAt the time at which it expires unless it is updated again
   * @param mayContinue whether the client may go on. False if some enforced limit has nothing left:
   *     the reservation of it is used up, and so is the limit
   * @param grown whether the permits that the update requested were added; false if it requested
   *     none
   * @param limits the limits, with the permits that are held of each
   */
  record Open(Instant expiresAt, boolean mayContinue, boolean grown, List<ReservedLimit> limits)
      implements ReservationState {
    /** Copies the list. */
    public Open {
      limits = List.copyOf(limits);
    }
  }

  /**
   * The real cost is charged, and the rest was returned. A repetition has the same charges.
   *
   * @param limits the limits, with the permits that were charged to each
   */
  record Settled(List<ReservedLimit> limits) implements ReservationState {
    /** Copies the list. */
    public Settled {
      limits = List.copyOf(limits);
    }
  }

  /**
   * The reservation has expired, and was charged as its rules say. The client should end its
   * request. It can still settle for ten minutes.
   *
   * @param limits the limits, with the permits that were charged to each
   */
  record Expired(List<ReservedLimit> limits) implements ReservationState {
    /** Copies the list. */
    public Expired {
      limits = List.copyOf(limits);
    }
  }

  /**
   * A failure policy granted the reservation while the store was unavailable. It is charged as
   * reserved where the policy counts at all; the operation changed no counter.
   */
  record Local() implements ReservationState {}

  /**
   * There is no such reservation. Nothing was charged or returned.
   *
   * @param reason why: the id is not one of this service, or it ended too long ago
   */
  record Unknown(String reason) implements ReservationState {}

  /** Returns whether the client may go on with its request. */
  default boolean mayContinue() {
    return switch (this) {
      case Open open -> open.mayContinue;
      case Local local -> true;
      case Settled settled -> false;
      case Expired expired -> false;
      case Unknown unknown -> false;
    };
  }
}
