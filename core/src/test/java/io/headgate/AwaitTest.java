package io.headgate;

import static io.headgate.Limiters.limiter;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Allowed;
import io.headgate.Decision.Delayed;
import io.headgate.Decision.Denied;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AwaitTest {
  private static final Request REQUEST = Request.of(Subject.of("x"));

  private final ManualTicker ticker = new ManualTicker();

  @Test
  void waitsForItsPlaceInTheQueue() throws InterruptedException {
    var limiter = limiter(ticker, queue(Rate.perSecond(2), 3));
    long start = ticker.micros();
    assertThat(limiter.await(REQUEST)).isInstanceOf(Allowed.class);
    assertThat(ticker.micros()).isEqualTo(start);
    limiter.check(REQUEST); // another request is queued
    assertThat(limiter.await(REQUEST))
        .isEqualTo(new Delayed(Duration.ofSeconds(1), 1, Duration.ofMillis(1_500)));
    assertThat(ticker.micros()).isEqualTo(start + 1_000_000);
  }

  @Test
  void doesNotWaitWhenDenied() throws InterruptedException {
    var limiter = limiter(ticker, queue(Rate.perSecond(2), 1));
    limiter.check(REQUEST);
    limiter.check(REQUEST);
    long start = ticker.micros();
    assertThat(limiter.await(REQUEST)).isEqualTo(new Denied(Duration.ofMillis(500)));
    assertThat(ticker.micros()).isEqualTo(start);
  }

  @Test
  void interruptedWaiterStaysCharged() throws Exception {
    try (var limiter = RateLimiter.inMemory(queue(Rate.perHour(1), 5))) {
      limiter.check(REQUEST);
      var interrupted = new CompletableFuture<Boolean>();
      var waiter =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  limiter.await(REQUEST);
                  interrupted.complete(false);
                } catch (InterruptedException e) {
                  interrupted.complete(true);
                }
              });
      waiter.interrupt();
      assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
      assertThat(limiter.peek(Request.of(Subject.of("x"), 0)).limits().getFirst().remaining())
          .isEqualTo(4);
    }
  }

  private static Rule queue(Rate rate, long length) {
    return Rule.named("queue").limit(LeakyBucket.of(rate).withQueue(length)).build();
  }
}
