package io.headgate.kotlin

import io.headgate.RateLimiter
import io.headgate.rule.Subject
import io.headgate.spring.HeadgateAutoConfiguration
import io.headgate.spring.LimitExceededException
import io.headgate.spring.Limited
import io.headgate.spring.method.HeadgateMethodAutoConfiguration
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext

/** Suspending functions with the annotation, through Spring's proxy. */
class SuspendingLimitedTest {
  open class Calls {
    @Limited(value = "one", key = "#user")
    open suspend fun one(user: String): String {
      yield()
      return "one of $user"
    }

    @Limited(value = "one", key = "'nothing'") open suspend fun nothing() = yield()

    @Limited(value = "one", key = "'flow'")
    open suspend fun flow(): Flow<Int> {
      yield()
      return flowOf(1, 2, 3)
    }

    @Limited(value = "1/1h", key = "#user", fallback = "tooMany")
    open suspend fun send(user: String): String {
      yield()
      return "sent to $user"
    }

    @Suppress("unused")
    suspend fun tooMany(user: String, denial: LimitExceededException): String {
      yield()
      return "not sent to $user, retry in ${denial.retryAfter().orElseThrow().toHours()} h"
    }

    @Limited(value = "slot", key = "'all'")
    open suspend fun hold(entered: CompletableDeferred<Unit>, leave: CompletableDeferred<String>) =
        leave.also { entered.complete(Unit) }.await()
  }

  private fun run(test: suspend (ApplicationContext, Calls) -> Unit) {
    ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AopAutoConfiguration::class.java,
                HeadgateAutoConfiguration::class.java,
                HeadgateMethodAutoConfiguration::class.java,
            ))
        .withPropertyValues(
            "headgate.rules[0].id=one",
            "headgate.rules[0].match.key=*",
            "headgate.rules[0].limit.algorithm=token-bucket",
            "headgate.rules[0].limit.rate=1/1h",
            "headgate.rules[1].id=slot",
            "headgate.rules[1].match.key=*",
            "headgate.rules[1].limit.algorithm=concurrency",
            "headgate.rules[1].limit.max=1",
        )
        .withBean(Calls::class.java)
        .run { context -> runBlocking { test(context, context.getBean(Calls::class.java)) } }
  }

  @Test
  fun `a suspending function is checked before it runs`() = run { _, calls ->
    assertThat(calls.one("ann")).isEqualTo("one of ann")
    val denial = assertThrows<LimitExceededException> { calls.one("ann") }
    assertThat(denial.retryAfter().orElseThrow().toMinutes()).isGreaterThan(58)
    assertThat(calls.one("bob")).isEqualTo("one of bob")
    calls.nothing()
    assertThrows<LimitExceededException> { calls.nothing() }
  }

  @Test
  fun `a suspending function that returns a flow is checked before it runs`() = run { _, calls ->
    assertThat(calls.flow().toList()).containsExactly(1, 2, 3)
    assertThrows<LimitExceededException> { calls.flow().toList() }
  }

  @Test
  fun `a suspending fallback is called instead of a denied function`() = run { _, calls ->
    assertThat(calls.send("ann")).isEqualTo("sent to ann")
    assertThat(calls.send("ann")).startsWith("not sent to ann, retry in")
  }

  @Test
  fun `a slot is held until the function returns or is cancelled`() = run { context, calls ->
    val limiter = context.getBean(RateLimiter::class.java)
    fun isFree() = limiter.explain(Subject.of("all")).flatMap { it.limits() }
        .single { it.rule() == "slot" }.remaining() == 1L
    runBlocking {
      val entered = CompletableDeferred<Unit>()
      val leave = CompletableDeferred<String>()
      val call = launch { assertThat(calls.hold(entered, leave)).isEqualTo("left") }
      entered.await()
      assertThat(isFree()).isFalse()
      leave.complete("left")
      call.join()
      assertThat(isFree()).isTrue()

      val again = CompletableDeferred<Unit>()
      val cancelled = launch { calls.hold(again, CompletableDeferred()) }
      again.await()
      cancelled.cancelAndJoin()
      assertThat(isFree()).isTrue()
    }
  }
}
