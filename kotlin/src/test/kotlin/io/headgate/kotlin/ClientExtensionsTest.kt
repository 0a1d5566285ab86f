package io.headgate.kotlin

import io.headgate.Costs
import io.headgate.client.RemoteReservationState
import io.headgate.limit.Concurrency
import io.headgate.limit.Rate
import io.headgate.limit.TokenBucket
import io.headgate.rule.Request
import io.headgate.rule.Rule
import io.headgate.rule.Subject
import java.time.Duration
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

class ClientExtensionsTest {
  private val service =
      RunningService(
          Rule.named("once")
              .match("key", "*")
              .limit(TokenBucket.of(Rate.of(1, Duration.ofHours(1))))
              .build(),
          Rule.named("tokens")
              .match("team", "*")
              .limit(TokenBucket.of(Rate.of(100, Duration.ofDays(1))))
              .build(),
          Rule.named("slots").match("upload", "*").limit(Concurrency.of(1)).build(),
      )
  private val client = service.client
  private val limiter = service.limiter

  @AfterEach fun close() = service.close()

  @Test
  fun `checks and slots of a service suspend`() = runBlocking {
    val ann = Subject.of("ann")
    assertThat(client.awaitCheck(ann).isAllowed).isTrue()
    assertThat(client.awaitCheck(ann).isAllowed).isFalse()
    assertThat(client.awaitResult(Request.of(ann)).violated()).containsExactly("once")

    val upload = Subject.of("upload", "7")
    client.withSlot(upload) {
      assertThat(limiter.peek(upload).isAllowed).isFalse()
      assertThrows<RequestDeniedException> { client.withSlot(upload) {} }
    }
    assertThat(limiter.peek(upload).isAllowed).isTrue()
    assertThrows<IllegalStateException> { client.withSlot(upload) { error("failed") } }
    assertThat(limiter.peek(upload).isAllowed).isTrue()
    Unit
  }

  @Test
  fun `a reservation of a service charges what the block settles`() = runBlocking {
    val team = Subject.of("team", "a")
    val settled =
        client.withReservation(Request.of(team, 40)) { reservation ->
          assertThat(limiter.peek(Request.of(team, 61)).isAllowed).isFalse()
          reservation.awaitSettle(Costs.plain(10))
        }
    assertThat(settled)
        .isEqualTo(RemoteReservationState.Settled(Costs.plain(10), Costs.plain(30)))
    assertThat(limiter.peek(Request.of(team, 90)).isAllowed).isTrue()
    assertThrows<IllegalStateException> {
      client.withReservation(Request.of(team, 90)) { error("failed") }
    }
    assertThat(limiter.check(Request.of(team, 90)).isAllowed).isTrue()
    assertThrows<RequestDeniedException> { client.withReservation(Request.of(team, 1)) {} }
    Unit
  }
}
