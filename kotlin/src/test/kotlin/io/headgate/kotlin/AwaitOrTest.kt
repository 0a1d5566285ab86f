package io.headgate.kotlin

import java.util.concurrent.CompletableFuture
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class AwaitOrTest {
  @Test
  fun `a value that arrives after the cancellation is handed over`() = runBlocking {
    val stage = CompletableFuture<String>()
    val late = CompletableDeferred<String>()
    val job = launch(start = CoroutineStart.UNDISPATCHED) { stage.awaitOr { late.complete(it) } }
    job.cancelAndJoin()
    assertThat(stage).isNotDone()
    assertThat(late.isCompleted).isFalse()
    stage.complete("slot")
    assertThat(withTimeout(20.seconds) { late.await() }).isEqualTo("slot")
    Unit
  }
}
