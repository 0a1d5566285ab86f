package io.headgate.store;

import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservedCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Stores reservations beside the counters whose permits they hold.
 *
 * <p>A reservation charges its estimate as a check does, so that no counter admits more than its
 * limit. Each later operation corrects the charges and records the reservation's status in one
 * atomic step per group of counters that the store can change together; {@code ReservationStep}
 * defines the result. {@link #apply} may be called again after a failure: a part that was applied
 * before is not applied twice.
 *
 * <p>Thread-safe. No method blocks. Stages fail with a {@link StoreException}.
 */
public interface ReservationStore {
  /** The highest number of open reservations. */
  int MAX_OPEN = 100_000;

  /**
   * The highest number of open reservations of one subject, which are those of the same counters: a
   * tenth of all, so that one client can't use up the store.
   */
  int MAX_PER_SUBJECT = MAX_OPEN / 10;

  /** The number of characters of an id that the reservations of one subject have in common. */
  int SUBJECT_LENGTH = 8;

  /** Returns the beginning of an id, which the reservations of one subject have in common. */
  static String subjectOf(String token) {
    return token.substring(0, Math.min(SUBJECT_LENGTH, token.length()));
  }

  /**
   * Evaluates a plan strictly, without local copies, leases or cached denials, and stores the
   * resulting states. While the store is unavailable, each rule's failure policy decides.
   */
  CompletionStage<ReservedPlan> reserve(Plan plan);

  /**
   * Lists a reservation whose charges were made, so that it can expire.
   *
   * @param nonce identifies the reservation
   * @param token the id that the client has
   * @param expiresAt the time at which it expires, in microseconds of the store's clock
   * @param charges the charges that were made
   * @return false if there is no room for it: {@link #MAX_OPEN} others are open, or {@link
   *     #MAX_PER_SUBJECT} of the same subject, or their bytes are used up; the charges are then
   *     given back. They are also given back if the stage fails
   */
  CompletionStage<Boolean> open(
      String nonce, String token, long expiresAt, List<ReservedCharge> charges);

  /** Returns the failure of an operation for which there is no room. */
  static StoreException full() {
    return new StoreException(
        StoreException.Kind.FULL,
        "there is no room for another open reservation: a store keeps at most %d, and %d of one subject, and a store in memory as many as an eighth of the heap holds; settle or cancel reservations, or let them expire"
            .formatted(MAX_OPEN, MAX_PER_SUBJECT),
        null);
  }

  /** Returns the bounds on what the reservations take in this process and in the store. */
  default List<Budget> budgets() {
    return List.of();
  }

  /** Returns whether there is certainly no room for another reservation, without a call. */
  boolean isFull();

  /**
   * Returns a number that identifies where permits of a counter are reserved, and of which part of
   * its limit. A store that divides limits among regions returns another one after the rules moved
   * the counter; a reservation then returns nothing. 0 for the whole limit in this store.
   */
  default int placeOf(Counter counter) {
    return 0;
  }

  /** Applies an operation to a reservation. */
  CompletionStage<ReservationReply> apply(ReservationCommand command);

  /** Charges permits that were spent, even if they exceed the limits. */
  CompletionStage<Void> charge(List<Charge> charges);

  /**
   * Returns the tokens of at most {@code max} reservations that have expired and have not been
   * ended.
   */
  CompletionStage<List<String>> expired(int max);

  /**
   * Returns the tokens of at most {@code max} open reservations, those that expire first. May miss
   * one that was made within the last second. A store that does not list them returns none.
   */
  default CompletionStage<List<String>> listed(int max) {
    return CompletableFuture.completedStage(List.of());
  }

  /** Removes a token that no instance can read from the list of open reservations. */
  void discard(String token);

  /**
   * Returns an expired token later, since it can't be ended now, so that {@link #expired} returns
   * the ones behind it.
   *
   * @param until the time from which it is returned again, in microseconds
   */
  default void postpone(String token, long until) {}

  /** Returns the number of open reservations, which may be a second old. */
  long openCount();

  /**
   * Returns the secrets with which ids are encrypted, the same for all instances that share the
   * store. New ids have the first, and earlier ids may have any. Empty before {@link
   * #refreshSecrets}.
   */
  List<byte[]> secrets();

  /**
   * Obtains the secrets from the store.
   *
   * @return at least one. If the store is unavailable, it may be a secret of this instance alone
   */
  CompletionStage<List<byte[]>> refreshSecrets();
}
