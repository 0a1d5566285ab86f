package io.headgate.kotlin

import io.headgate.CallClassifier
import io.headgate.load.CallOutcome
import io.headgate.load.CompletedCall
import java.time.Duration
import java.util.concurrent.CompletionStage
import kotlin.time.toKotlinDuration
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

/** A call that was not made. */
internal fun dropped(): CompletedCall = CompletedCall(CallOutcome.DROPPED, 0)

/**
 * Runs a block after a delay, and reports its outcome and duration, also if it fails or is
 * cancelled.
 */
internal suspend fun <T> measured(
    delay: Duration,
    block: suspend () -> T,
    end: suspend (CompletedCall) -> Unit,
): T {
  var outcome = CallOutcome.SUCCESS
  var start = System.nanoTime()
  try {
    if (!delay.isZero) {
      delay(delay.toKotlinDuration())
      start = System.nanoTime()
    }
    return block()
  } catch (e: Throwable) {
    outcome =
        if (e is CancellationException) CallOutcome.DROPPED
        else CallClassifier.standard<Any?>().classify(null, e)
    throw e
  } finally {
    val micros = (System.nanoTime() - start).coerceAtLeast(0) / 1_000
    withContext(NonCancellable) { end(CompletedCall(outcome, micros)) }
  }
}

/**
 * Awaits a stage without cancelling it. If the coroutine is cancelled first, [late] gets the value
 * when it arrives, on a thread that may block.
 */
internal suspend fun <T> CompletionStage<T>.awaitOr(late: (T & Any) -> Unit): T =
    try {
      thenApply { it }.await()
    } catch (e: CancellationException) {
      whenCompleteAsync(
          { value, _ -> if (value != null) late(value) },
          Dispatchers.IO.asExecutor(),
      )
      throw e
    }
