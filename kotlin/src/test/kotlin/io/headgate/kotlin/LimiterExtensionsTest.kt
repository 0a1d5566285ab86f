package io.headgate.kotlin

import io.headgate.Costs
import io.headgate.Decision
import io.headgate.RateLimiter
import io.headgate.limit.Concurrency
import io.headgate.limit.LeakyBucket
import io.headgate.limit.Rate
import io.headgate.limit.TokenBucket
import io.headgate.rule.Request
import io.headgate.rule.Rule
import io.headgate.rule.Subject
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

class LimiterExtensionsTest {
  private val limiter =
      RateLimiter.inMemory(
          Rule.named("once")
              .match("key", "*")
              .limit(TokenBucket.of(Rate.of(1, Duration.ofHours(1))))
              .build(),
          Rule.named("slots").match("upload", "*").limit(Concurrency.of(1)).build(),
          Rule.named("queue")
              .match("mail", "*")
              .limit(LeakyBucket.of(Rate.perSecond(10)).withQueue(5))
              .build(),
          Rule.named("tokens")
              .match("team", "*")
              .limit(TokenBucket.of(Rate.of(100, Duration.ofHours(1))))
              .build(),
      )

  private val upload = Subject.of("upload", "7")
  private val team = Subject.of("team", "a")

  @AfterEach fun close() = limiter.close()

  private fun slotIsFree(): Boolean = limiter.peek(upload).isAllowed

  private fun remaining(): Long = limiter.peek(team).limits().single().remaining()

  @Test
  fun `a check suspends until it is decided`() = runBlocking {
    val ann = Subject.of("ann")
    assertThat(limiter.awaitCheck(ann)).isInstanceOf(Decision.Allowed::class.java)
    assertThat(limiter.awaitCheck(ann)).isInstanceOf(Decision.Denied::class.java)
    assertThat(limiter.awaitResult(Request.of(ann)).rule().orElseThrow().id()).isEqualTo("once")
    Unit
  }

  @Test
  fun `a queued request waits for its turn`() = runBlocking {
    val start = System.nanoTime()
    val request = Request.of(Subject.of("mail", "x"))
    limiter.awaitTurn(request)
    assertThat(limiter.awaitTurn(request)).isInstanceOf(Decision.Delayed::class.java)
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofMillis(95))
    Unit
  }

  @Test
  fun `a slot is held while the block runs`() = runBlocking {
    val value =
        limiter.withSlot(upload) {
          assertThat(slotIsFree()).isFalse()
          val denial = assertThrows<RequestDeniedException> { limiter.withSlot(upload) {} }
          assertThat(denial.decision).isInstanceOf(Decision.Denied::class.java)
          "done"
        }
    assertThat(value).isEqualTo("done")
    assertThat(slotIsFree()).isTrue()
    Unit
  }

  @Test
  fun `a slot is released if the block fails, times out or is cancelled`() = runBlocking {
    assertThrows<IllegalStateException> { limiter.withSlot(upload) { error("failed") } }
    assertThat(slotIsFree()).isTrue()
    assertThrows<TimeoutCancellationException> {
      withTimeout(20.milliseconds) { limiter.withSlot(upload) { awaitCancellation() } }
    }
    assertThat(slotIsFree()).isTrue()
    val held = CompletableDeferred<Unit>()
    val job = launch {
      limiter.withSlot(upload) {
        held.complete(Unit)
        awaitCancellation()
      }
    }
    held.await()
    assertThat(slotIsFree()).isFalse()
    job.cancelAndJoin()
    assertThat(slotIsFree()).isTrue()
    Unit
  }

  @Test
  fun `a reservation charges what the block settles`() = runBlocking {
    val answer =
        limiter.withReservation(Request.of(team, 40)) { reservation ->
          assertThat(remaining()).isEqualTo(60)
          reservation.awaitSettle(Costs.plain(10))
          "answer"
        }
    assertThat(answer).isEqualTo("answer")
    assertThat(remaining()).isEqualTo(90)
    Unit
  }

  @Test
  fun `a reservation of a block that fails is returned`() = runBlocking {
    assertThrows<IllegalStateException> {
      limiter.withReservation(Request.of(team, 40)) { error("failed") }
    }
    assertThat(remaining()).isEqualTo(100)
    limiter.awaitCheck(Request.of(team, 100))
    assertThrows<RequestDeniedException> { limiter.withReservation(Request.of(team, 1)) {} }
    Unit
  }
}
