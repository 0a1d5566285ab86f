@file:JvmName("LimiterExtensions")

package io.headgate.kotlin

import io.headgate.CheckResult
import io.headgate.Costs
import io.headgate.Decision
import io.headgate.RateLimiter
import io.headgate.Reservation
import io.headgate.ReservationState
import io.headgate.load.CompletedCall
import io.headgate.rule.Request
import io.headgate.rule.Subject
import io.headgate.store.StoreException
import kotlin.time.toKotlinDuration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

/** Checks a request of cost 1 as [awaitCheck] of a request does. */
public suspend fun RateLimiter.awaitCheck(subject: Subject): Decision =
    awaitCheck(Request.of(subject))

/**
 * Checks as [RateLimiter.check] does, and suspends instead of blocking the thread. A check that is
 * cancelled may stay charged.
 */
public suspend fun RateLimiter.awaitCheck(request: Request): Decision = checkAsync(request).await()

/** Checks as [awaitCheck] does, and returns the report of each limit with the decision. */
public suspend fun RateLimiter.awaitResult(request: Request): CheckResult =
    checkForResultAsync(request).await()

/**
 * Checks as [awaitCheck] does, and suspends for the delay if the request is queued. A request that
 * is cancelled in the queue stays charged.
 */
public suspend fun RateLimiter.awaitTurn(request: Request): Decision {
  val decision = awaitCheck(request)
  if (decision is Decision.Delayed) delay(decision.delay().toKotlinDuration())
  return decision
}

/** Runs a block with the slots of a request of cost 1 as [withSlot] of a request does. */
public suspend fun <T> RateLimiter.withSlot(subject: Subject, block: suspend () -> T): T =
    withSlot(Request.of(subject), block)

/**
 * Acquires slots, runs the block, and releases the slots with its outcome and duration, from which
 * adaptive limits learn. Suspends first if the request is queued. A block that is cancelled or
 * times out was dropped. Slots are released in every case; a slot that can't be released, since the
 * store is unavailable, expires.
 *
 * @throws RequestDeniedException if the request is denied; the block is not run
 */
public suspend fun <T> RateLimiter.withSlot(request: Request, block: suspend () -> T): T {
  val result =
      checkForResultAsync(request).awaitOr { late ->
        late.slotId().ifPresent { id -> releaseQuietly(id, dropped()) }
      }
  if (!result.isAllowed) throw RequestDeniedException(result.decision())
  val id = result.slotId().orElse(null)
  return measured(result.delay(), block) { call ->
    if (id != null) withContext(Dispatchers.IO) { releaseQuietly(id, call) }
  }
}

private fun RateLimiter.releaseQuietly(id: String, call: CompletedCall) {
  try {
    release(id, call)
  } catch (_: StoreException) {
    // The slots expire.
  }
}

/**
 * Reserves the estimated costs of a request, and runs the block, which settles the real cost with
 * [awaitSettle]. A reservation that the block does not settle ends as with [Reservation.close]: the
 * usage that was last reported is charged, and the rest is returned.
 *
 * @throws RequestDeniedException if the reservation is denied; the block is not run
 */
public suspend fun <T> RateLimiter.withReservation(
    request: Request,
    block: suspend (Reservation) -> T,
): T {
  val reservation =
      reserveAsync(request).awaitOr { late -> late.close() }
  if (!reservation.isAllowed) throw RequestDeniedException(reservation.decision())
  try {
    return block(reservation)
  } finally {
    withContext(NonCancellable + Dispatchers.IO) { reservation.close() }
  }
}

/** Settles as [Reservation.settle] does, and suspends instead of blocking the thread. */
public suspend fun Reservation.awaitSettle(actual: Costs): ReservationState =
    settleAsync(actual).await()
