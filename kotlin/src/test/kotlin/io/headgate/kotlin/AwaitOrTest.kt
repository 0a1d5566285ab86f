package io.headgate.kotlin

import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class AwaitOrTest {
  @Test
  fun `a value that arrives after the cancellation is handed over`() = runBlocking {
    val stage = CompletableFuture<String>()
    val late = mutableListOf<String>()
    val job = launch(start = CoroutineStart.UNDISPATCHED) { stage.awaitOr { late += it } }
    job.cancelAndJoin()
    assertThat(stage).isNotDone()
    assertThat(late).isEmpty()
    stage.complete("slot")
    assertThat(late).containsExactly("slot")
    Unit
  }
}
