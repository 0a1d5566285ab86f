@file:JvmName("ClientExtensions")

package io.headgate.kotlin

import io.headgate.Costs
import io.headgate.Decision
import io.headgate.client.HeadgateClient
import io.headgate.client.HeadgateException
import io.headgate.client.RemoteReservation
import io.headgate.client.RemoteReservationState
import io.headgate.client.RemoteResult
import io.headgate.load.CallOutcome
import io.headgate.rule.Request
import io.headgate.rule.Subject
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

/** Checks a request of cost 1 as [awaitCheck] of a request does. */
public suspend fun HeadgateClient.awaitCheck(subject: Subject): Decision =
    awaitCheck(Request.of(subject))

/**
 * Checks as [HeadgateClient.check] does, and suspends instead of blocking the thread. A check that
 * is cancelled may stay charged.
 */
public suspend fun HeadgateClient.awaitCheck(request: Request): Decision =
    checkAsync(request).await()

/** Checks as [awaitCheck] does, and returns the report of each limit with the decision. */
public suspend fun HeadgateClient.awaitResult(request: Request): RemoteResult =
    checkForResultAsync(request).await()

/** Runs a block with the slots of a request of cost 1 as [withSlot] of a request does. */
public suspend fun <T> HeadgateClient.withSlot(subject: Subject, block: suspend () -> T): T =
    withSlot(Request.of(subject), block)

/**
 * Acquires slots of the service, runs the block, and releases the slots with its outcome and
 * duration, from which adaptive limits learn. Suspends first if the request is queued. A block that
 * is cancelled or times out was dropped. A slot that can't be released, since the service is
 * unavailable, expires.
 *
 * @throws RequestDeniedException if the request is denied; the block is not run
 */
public suspend fun <T> HeadgateClient.withSlot(request: Request, block: suspend () -> T): T {
  val slot =
      acquireAsync(request).awaitOr { late -> late.release(CallOutcome.DROPPED) }
  if (!slot.isAllowed) throw RequestDeniedException(slot.decision())
  val id = slot.id().orElse(null)
  return measured(slot.result().delay(), block) { call ->
    try {
      if (id != null) releaseAsync(id, call).await()
    } catch (_: HeadgateException) {
      // The slots expire.
    }
  }
}

/**
 * Reserves the estimated costs of a request at the service, and runs the block, which settles the
 * real cost with [awaitSettle]. A reservation that the block does not settle ends as with
 * [RemoteReservation.close].
 *
 * @throws RequestDeniedException if the reservation is denied; the block is not run
 */
public suspend fun <T> HeadgateClient.withReservation(
    request: Request,
    block: suspend (RemoteReservation) -> T,
): T {
  val reservation = reserveAsync(request).awaitOr { late -> late.close() }
  if (!reservation.isAllowed) throw RequestDeniedException(reservation.decision())
  try {
    return block(reservation)
  } finally {
    withContext(NonCancellable + Dispatchers.IO) { reservation.close() }
  }
}

/** Settles as [RemoteReservation.settle] does, and suspends instead of blocking the thread. */
public suspend fun RemoteReservation.awaitSettle(actual: Costs): RemoteReservationState =
    settleAsync(actual).await()
