package io.headgate.internal.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.store.StoreException.Kind;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CircuitBreakerTest {
  private final CircuitBreaker breaker = new CircuitBreaker();

  @Test
  void connectionFailureOpensAtOnce() {
    assertThat(breaker.failed(Kind.CONNECTION, 5, Long.MAX_VALUE)).isTrue();
    assertThat(breaker.isOpen()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"TIMEOUT", "REFUSED", "OTHER"})
  void threeConsecutiveFailuresOpen(Kind kind) {
    assertThat(breaker.failed(kind, 5, Long.MAX_VALUE)).isFalse();
    assertThat(breaker.failed(kind, 6, Long.MAX_VALUE)).isFalse();
    assertThat(breaker.isOpen()).isFalse();
    assertThat(breaker.failed(kind, 7, Long.MAX_VALUE)).isTrue();
    assertThat(breaker.isOpen()).isTrue();
    assertThat(breaker.latestKind()).isEqualTo(kind);
  }

  @Test
  void successResetsTheFailureCount() {
    for (int i = 0; i < 10; i++) {
      breaker.failed(Kind.TIMEOUT, i, Long.MAX_VALUE);
      breaker.failed(Kind.TIMEOUT, i, Long.MAX_VALUE);
      breaker.succeeded();
    }
    assertThat(breaker.isOpen()).isFalse();
    assertThat(breaker.outageDuration(100)).isZero();
  }

  @Test
  void connectionFailureAfterATimeoutOpens() {
    breaker.failed(Kind.TIMEOUT, 5, Long.MAX_VALUE);
    assertThat(breaker.failed(Kind.CONNECTION, 6, Long.MAX_VALUE)).isTrue();
  }

  @Test
  void overloadAndInterruptionNeverOpen() {
    for (int i = 0; i < 100; i++) {
      assertThat(breaker.failed(Kind.OVERLOADED, i, Long.MAX_VALUE)).isFalse();
      assertThat(breaker.failed(Kind.INTERRUPTED, i, Long.MAX_VALUE)).isFalse();
    }
    assertThat(breaker.isOpen()).isFalse();
    assertThat(breaker.outageDuration(100)).isZero();
  }

  @Test
  void successDoesNotClose() {
    breaker.failed(Kind.CONNECTION, 5, Long.MAX_VALUE);
    breaker.succeeded();
    assertThat(breaker.isOpen()).isTrue();
    breaker.close();
    assertThat(breaker.isOpen()).isFalse();
  }

  @Test
  void outageStartsAtTheFirstFailureAfterTheLastSuccess() {
    breaker.failed(Kind.TIMEOUT, 1_000, Long.MAX_VALUE);
    breaker.succeeded();
    breaker.failed(Kind.TIMEOUT, 2_000, Long.MAX_VALUE);
    breaker.failed(Kind.TIMEOUT, 3_000, Long.MAX_VALUE);
    breaker.failed(Kind.TIMEOUT, 4_000, Long.MAX_VALUE);
    breaker.failed(Kind.TIMEOUT, 5_000, Long.MAX_VALUE);
    assertThat(breaker.outageDuration(6_000)).isEqualTo(4_000);
    breaker.close();
    assertThat(breaker.outageDuration(7_000)).isZero();
  }

  @Test
  void oneOfSeveralConcurrentFailuresOpens() throws Exception {
    int threads = 8;
    var barrier = new CyclicBarrier(threads);
    var openers = new AtomicInteger();
    int rounds = 2_000;
    try (var pool = Executors.newFixedThreadPool(threads)) {
      for (int t = 0; t < threads; t++) {
        var unused =
            pool.submit(() -> {
              for (int round = 0; round < rounds; round++) {
                if (barrier.await() == 0) breaker.close();
                barrier.await();
                if (breaker.failed(Kind.TIMEOUT, round, Long.MAX_VALUE)) openers.incrementAndGet();
              }
              return null;
            });
      }
    }
    assertThat(openers).hasValue(rounds);
  }
}
