package io.headgate.kotlin

import io.headgate.Costs
import io.headgate.RateLimiter
import io.headgate.client.HeadgateClient
import io.headgate.limit.Concurrency
import io.headgate.limit.Rate
import io.headgate.limit.TokenBucket
import io.headgate.rule.Request
import io.headgate.rule.Rule
import io.headgate.rule.Subject
import io.headgate.spring.HeadgateAutoConfiguration
import io.headgate.spring.LimitExceededException
import io.headgate.spring.Limited
import io.headgate.spring.method.HeadgateMethodAutoConfiguration
import java.nio.file.Path
import java.time.Duration
import kotlin.io.path.readText
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/** Compiles and runs the examples of the page on Kotlin. */
class KotlinPageTest {
  private data class Answer(val text: String, val tokens: Long)

  private val stored = mutableListOf<ByteArray>()

  private suspend fun complete(prompt: String): Answer {
    yield()
    return Answer("answer to $prompt", 120)
  }

  private suspend fun store(file: ByteArray) {
    yield()
    stored += file
  }

  // page: limiter
  suspend fun answer(limiter: RateLimiter, team: String, prompt: String): String =
      limiter.withReservation(Request.of(Subject.of("team", team), 500)) { reservation ->
        val answer = complete(prompt)
        reservation.awaitSettle(Costs.plain(answer.tokens))
        answer.text
      }

  suspend fun upload(client: HeadgateClient, user: String, file: ByteArray): Boolean =
      try {
        client.withSlot(Subject.of("upload", user)) { store(file) }
        true
      } catch (denied: RequestDeniedException) {
        false
      }
  // end

  open class Mail {
    private suspend fun deliver(customer: String): String {
      yield()
      return "sent to $customer"
    }

    // page: spring
    @Limited(rule = "2/1m", key = "#customer", fallback = "tooMany")
    open suspend fun send(customer: String): String = deliver(customer)

    suspend fun tooMany(customer: String, denial: LimitExceededException): String =
        "not sent to $customer, retry in ${denial.retryAfter().orElseThrow().toSeconds()} s"
    // end
  }

  @Test
  fun `examples of the page are those of this test`() {
    val page = Path.of("../docs/kotlin.md").readText()
    val shown = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page)
    val source = Path.of("src/test/kotlin/io/headgate/kotlin/KotlinPageTest.kt").readText()
    val run = Regex("// page: .*?\n(.*?)\n *// end", RegexOption.DOT_MATCHES_ALL).findAll(source)
    assertThat(shown.map { it.groupValues[1].trim() }.toList())
        .isEqualTo(run.map { it.groupValues[1].trimIndent().trim() }.toList())
        .hasSize(2)
  }

  @Test
  fun `example of a reservation charges the real cost`() = runBlocking {
    val tokens = TokenBucket.of(Rate.of(1_000, Duration.ofHours(1)))
    RateLimiter.inMemory(Rule.named("tokens").match("team", "*").limit(tokens).build()).use {
      assertThat(answer(it, "a", "question")).isEqualTo("answer to question")
      val limits = it.peek(Subject.of("team", "a")).limits()
      assertThat(limits.single().remaining()).isEqualTo(880)
    }
    Unit
  }

  @Test
  fun `example of a slot stores one file at a time`() = runBlocking {
    val rule = Rule.named("slots").match("upload", "*").limit(Concurrency.of(1)).build()
    RunningService(rule).use { service ->
      assertThat(upload(service.client, "ann", ByteArray(3))).isTrue()
      assertThat(stored).hasSize(1)
      service.client.withSlot(Subject.of("upload", "ann")) {
        assertThat(upload(service.client, "ann", ByteArray(3))).isFalse()
      }
      assertThat(stored).hasSize(1)
    }
    Unit
  }

  @Test
  fun `example of an annotated function calls its fallback`() {
    ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AopAutoConfiguration::class.java,
                HeadgateAutoConfiguration::class.java,
                HeadgateMethodAutoConfiguration::class.java,
            ))
        .withBean(Mail::class.java)
        .run { context ->
          runBlocking {
            val mail = context.getBean(Mail::class.java)
            repeat(2) { assertThat(mail.send("ann")).isEqualTo("sent to ann") }
            assertThat(mail.send("ann")).matches("not sent to ann, retry in (2\\d|30) s")
          }
        }
  }
}
