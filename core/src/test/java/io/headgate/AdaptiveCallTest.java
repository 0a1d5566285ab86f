package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.StoreException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class AdaptiveCallTest {
  private static final Subject BACKEND = Subject.of("backend", "payments");

  private final ManualTicker ticker = new ManualTicker();
  private final List<CompletedCall> calls = new ArrayList<>();
  private boolean fails;

  /** Records the calls that it is told of. */
  private final class RecordingStore extends ForwardingStore {
    RecordingStore() {
      super(MemoryStore.create(ticker, 100));
    }

    @Override
    public boolean release(Charge charge, CompletedCall call) {
      if (fails) throw new StoreException(StoreException.Kind.TIMEOUT, "no reply", null);
      calls.add(call);
      return super.release(charge, call);
    }
  }

  private final RateLimiter limiter =
      RateLimiter.with(
          new RecordingStore(),
          RuleSet.of(
              Rule.named("backends")
                  .match("backend", "*")
                  .limit(AdaptiveConcurrency.between(1, 10).withInitial(1))
                  .build()),
          ticker);

  private static CompletedCall call(CallOutcome outcome, long millis) {
    return new CompletedCall(outcome, millis * 1_000);
  }

  @Test
  void resultIsASuccessOfTheMeasuredTime() throws Exception {
    String result =
        limiter.call(
            BACKEND,
            () -> {
              ticker.advance(Duration.ofMillis(48));
              return "paid";
            });
    assertThat(result).isEqualTo("paid");
    assertThat(calls).containsExactly(call(CallOutcome.SUCCESS, 48));
    assertThat(limiter.peek(BACKEND).limits().getFirst().remaining()).isEqualTo(1);
  }

  @Test
  void timeoutsAreDroppedAndOtherExceptionsAreErrors() {
    for (var timeout :
        List.of(
            new TimeoutException(),
            new SocketTimeoutException(),
            new java.net.http.HttpTimeoutException("slow"),
            new java.net.http.HttpConnectTimeoutException("slow"),
            new RejectedExecutionException(),
            new ExecutionException(new TimeoutException()),
            new CompletionException(new ExecutionException(new SocketTimeoutException())))) {
      assertThat(outcomeOf(timeout)).as(timeout.toString()).isEqualTo(CallOutcome.DROPPED);
    }
    for (var error :
        List.of(
            new IOException("reset"),
            new IllegalStateException(),
            new InterruptedException(),
            new ExecutionException("no cause", null),
            new CompletionException(new IOException()))) {
      assertThat(outcomeOf(error)).as(error.toString()).isEqualTo(CallOutcome.ERROR);
    }
  }

  private CallOutcome outcomeOf(Exception problem) {
    calls.clear();
    assertThatThrownBy(() ->
            limiter.call(
                BACKEND,
                () -> {
                  throw problem;
                }))
        .isSameAs(problem);
    return calls.getFirst().outcome();
  }

  @Test
  void errorOfTheMachineIsPassedOnAndReleasesTheSlot() {
    assertThatThrownBy(() ->
            limiter.call(
                BACKEND,
                () -> {
                  throw new AssertionError("broken");
                }))
        .isInstanceOf(AssertionError.class);
    assertThat(calls).containsExactly(call(CallOutcome.ERROR, 0));
  }

  @Test
  void classifierDecidesByTheResult() throws Exception {
    int status =
        limiter.call(
            Request.of(BACKEND),
            () -> 503,
            (result, failure) -> result == 503 ? CallOutcome.DROPPED : CallOutcome.SUCCESS);
    assertThat(status).isEqualTo(503);
    assertThat(calls).containsExactly(call(CallOutcome.DROPPED, 0));
  }

  @Test
  void failingClassifierCountsAsAnErrorAndKeepsTheResult() throws Exception {
    var result =
        limiter.call(
            Request.of(BACKEND),
            () -> "paid",
            (value, failure) -> {
              throw new IllegalStateException("bug");
            });
    assertThat(result).isEqualTo("paid");
    assertThat(calls).containsExactly(call(CallOutcome.ERROR, 0));
  }

  @Test
  void deniedCallIsNotMade() {
    try (var other = limiter.acquire(BACKEND)) {
      assertThat(other.isAllowed()).isTrue();
      assertThatThrownBy(() ->
              limiter.call(
                  BACKEND,
                  () -> {
                    throw new AssertionError("called");
                  }))
          .isInstanceOfSatisfying(
              CallDeniedException.class,
              denied -> assertThat(denied.result().violated()).containsExactly("backends"))
          .hasMessageContaining("by backends");
    }
    assertThat(calls).isEmpty();
  }

  @Test
  void unlimitedCallIsMade() throws Exception {
    assertThat(limiter.call(Subject.of("other", "x"), () -> "done")).isEqualTo("done");
    assertThat(calls).isEmpty();
  }

  @Test
  void resultIsKeptIfTheReleaseFails() throws Exception {
    fails = true;
    assertThat(limiter.call(BACKEND, () -> "paid")).isEqualTo("paid");
  }

  @Test
  void slotReportsItsOutcomeOnceWithTheTimeSinceItsAcquisition() {
    try (var slot = limiter.acquire(BACKEND)) {
      ticker.advance(Duration.ofMillis(5));
      slot.dropped();
    }
    try (var slot = limiter.acquire(BACKEND)) {
      slot.release(CallOutcome.SUCCESS, Duration.ofMillis(7));
    }
    try (var slot = limiter.acquire(BACKEND)) {
      slot.error();
    }
    try (var slot = limiter.acquire(BACKEND)) {
      slot.success();
    }
    assertThat(calls)
        .containsExactly(
            call(CallOutcome.DROPPED, 5),
            call(CallOutcome.SUCCESS, 7),
            call(CallOutcome.ERROR, 0),
            call(CallOutcome.SUCCESS, 0));
  }

  @Test
  void closeAloneTeachesNothing() {
    try (var slot = limiter.acquire(BACKEND)) {
      assertThat(slot.isAllowed()).isTrue();
    }
    assertThat(calls).isEmpty();
    assertThat(limiter.peek(BACKEND).isAllowed()).isTrue();
  }

  @Test
  void reportShowsThePresentLimitAndItsBounds() {
    var report = limiter.peek(BACKEND).limits().getFirst();
    assertThat(report.limit()).isEqualTo(1);
    assertThat(report.range()).contains(new LimitReport.LimitRange(1, 10));
    assertThat(report.algorithm().hasSlots()).isTrue();
    assertThat(report.per()).containsExactly("backend");
    for (int i = 0; i < 10_000; i++) {
      try (var slot = limiter.acquire(BACKEND)) {
        ticker.advance(Duration.ofMillis(1));
        slot.success();
      }
      assertThat(limiter.peek(BACKEND).limits().getFirst().limit()).isBetween(1L, 10L);
    }
  }
}
