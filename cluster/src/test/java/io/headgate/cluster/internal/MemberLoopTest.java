package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tangosol.net.AsyncNamedCache;
import io.headgate.limit.NumberWriter;
import io.headgate.testkit.Eventually;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The loop over a grid that does not answer, as one whose service has ended since. */
class MemberLoopTest {
  private final ConcurrentLinkedQueue<CompletableFuture<byte[]>> sent =
      new ConcurrentLinkedQueue<>();
  private final MemberLoop loop = new MemberLoop(this::silent, partition -> 1);

  @AfterEach
  void stop() {
    loop.close();
  }

  @SuppressWarnings("unchecked")
  private AsyncNamedCache<EntryKey, byte[]> silent() {
    return (AsyncNamedCache<EntryKey, byte[]>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {AsyncNamedCache.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("invoke");
              var reply = new CompletableFuture<byte[]>();
              sent.add(reply);
              return reply;
            });
  }

  private CompletableFuture<byte[]> submit() {
    var call = new PartitionCall(PartitionCall.Kind.GET, 7, new String[] {"counter"}, new byte[0]);
    return loop.submit(call).toCompletableFuture();
  }

  private void awaitSent(int messages) {
    Eventually.holds(
        messages + " messages are sent", Duration.ofSeconds(5), () -> sent.size() == messages);
  }

  private void assertSendsAgain() throws Exception {
    var next = submit();
    awaitSent(2);
    sent.forEach(
        reply -> reply.complete(new NumberWriter().put(1).put(new byte[] {42}).toByteArray()));
    assertThat(next.get(5, TimeUnit.SECONDS)).containsExactly(42);
    assertThat(loop.isIdle()).isTrue();
  }

  @Test
  void batchWithoutAReplyEndsAndGivesItsPlaceBack() throws Exception {
    var lost = submit();
    awaitSent(1);
    var behind = submit();
    loop.expire(System.nanoTime());
    assertThat(lost).isNotDone();
    loop.expire(System.nanoTime() + MemberLoop.MAX_NANOS);
    assertThatThrownBy(lost::join).hasMessageContaining("no answer from the cluster within 10 s");
    assertThat(behind).isCompletedExceptionally();
    assertSendsAgain();
  }

  @Test
  void expulsionEndsAllBatchesAndGivesTheirPlacesBack() throws Exception {
    var lost = submit();
    awaitSent(1);
    var behind = submit();
    loop.expelled();
    assertThatThrownBy(lost::join).hasMessageContaining("this member was expelled");
    assertThat(behind).isCompletedExceptionally();
    assertSendsAgain();
  }

  @Test
  void batchThatIsSubmittedAfterTheEndFails() {
    loop.close();
    assertThatThrownBy(submit()::join).hasMessageContaining("the cluster store is closed");
  }
}
