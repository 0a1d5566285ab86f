/**
 * Reservations as values: the permits that were charged for one, and the pure step that corrects
 * them when the client reports usage, settles, or does not return. Start at {@link
 * io.headgate.reservation.ReservationStep}.
 *
 * <p>Belongs here: the arithmetic that all stores share, and the messages of {@link
 * io.headgate.store.ReservationStore}. Does not belong here: storage, clocks, and the encoding of
 * ids.
 */
@NullMarked
package io.headgate.reservation;

import org.jspecify.annotations.NullMarked;
