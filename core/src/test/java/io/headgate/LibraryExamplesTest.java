package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Runs the examples of the Javadoc, which are the regions of this file. */
class LibraryExamplesTest {
  private static final AdaptiveConcurrency ADAPTIVE = AdaptiveConcurrency.between(1, 200);

  @Test
  void limiter() {
    // @start region="limiter"
    var perUser =
        Rule.named("per-user")
            .match("user", "*")
            .limit(TokenBucket.of(Rate.perMinute(100)).withBurst(200))
            .build();
    var limiter = RateLimiter.inMemory(perUser);
    String answer =
        switch (limiter.check(Subject.of("user", "42"))) {
          case Decision.Allowed allowed -> "go ahead, " + allowed.remaining() + " left";
          case Decision.Delayed delayed -> "wait " + delayed.delay();
          case Decision.Denied denied -> "retry after " + denied.retryAfter();
          case Decision.Impossible impossible -> "costs more than " + impossible.capacity();
        };
    // @end
    assertThat(answer).isEqualTo("go ahead, 199 left");
    limiter.close();
  }

  @Test
  void rule() {
    // @start region="rule"
    var contract =
        Rule.named("contract")
            .match("tenant", "*") // a counter for each tenant
            .limit(RuleLimit.of("calls", FixedWindow.of(Rate.perHour(1_000))))
            .limit(
                RuleLimit.of("bytes", TokenBucket.of(Rate.perHour(10_000_000))).withCost("bytes"))
            .build();
    var trial = contract.toBuilder().mode(Mode.SHADOW).build(); // reports, but does not deny
    // @end
    var tenant = Request.of(Subject.of("tenant", "acme"), 1_001);
    assertThat(RateLimiter.inMemory(contract).check(tenant).isAllowed()).isFalse();
    assertThat(RateLimiter.inMemory(trial).check(tenant).isAllowed()).isTrue();
  }

  @Test
  void subject() {
    // @start region="subject"
    var caller = Subject.of("user", "42").with("path", "/login").with("ip", "192.0.2.7");
    var apiKey = Subject.of("user:42"); // the attribute "key"
    // @end
    assertThat(caller.attributes()).hasSize(3).containsEntry("path", "/login");
    assertThat(apiKey.attributes()).containsOnlyKeys("key");
  }

  @Test
  void slot() {
    var uploads = Rule.named("uploads").match("tenant", "*").limit(Concurrency.of(1)).build();
    var limiter = RateLimiter.inMemory(uploads);
    var uploaded = new LongAdder();
    // @start region="slot"
    try (var slot = limiter.acquire(Subject.of("tenant", "acme"))) {
      if (slot.isAllowed()) uploaded.increment(); // the slot is free again afterwards
    }
    // @end
    assertThat(uploaded.sum()).isEqualTo(1);
    assertThat(limiter.check(Subject.of("tenant", "acme")).isAllowed()).isTrue();
  }

  @Test
  void outcome() {
    var backends = Rule.named("backends").match("backend", "*").limit(ADAPTIVE).build();
    var limiter = RateLimiter.inMemory(backends);
    var payments = Subject.of("backend", "payments");
    var answers = new LongAdder();
    // @start region="outcome"
    try (var slot = limiter.acquire(payments)) {
      if (slot.isAllowed()) {
        answers.increment(); // the call
        slot.success(); // with the time since the acquisition
      }
    }
    // @end
    assertThat(answers.sum()).isEqualTo(1);
    assertThat(limiter.peek(payments).limits().getFirst().remaining()).isEqualTo(20);
  }

  @Test
  void call() throws Exception {
    var backends = Rule.named("backends").match("backend", "*").limit(ADAPTIVE).build();
    var limiter = RateLimiter.inMemory(backends);
    // @start region="call"
    String answer = limiter.call(Subject.of("backend", "payments"), () -> "paid");
    // @end
    assertThat(answer).isEqualTo("paid");
  }

  @Test
  void classifier() throws Exception {
    var limiter = RateLimiter.inMemory(Rule.named("backends").limit(ADAPTIVE).build());
    Callable<Integer> call = () -> 503;
    // @start region="classifier"
    CallClassifier<Integer> byStatus =
        (status, failure) -> {
          if (failure != null) return CallClassifier.ofException(failure);
          return status == 503 ? CallOutcome.DROPPED : CallOutcome.SUCCESS;
        };
    int status = limiter.call(Request.of(Subject.of("backend", "payments")), call, byStatus);
    // @end
    assertThat(status).isEqualTo(503);
  }

  // @start region="store"
  /** Counts the plans that another store decides. */
  static final class CountingStore extends ForwardingStore {
    final LongAdder decisions = new LongAdder();

    CountingStore(Store delegate) {
      super(delegate);
    }

    @Override
    public PlanResult decide(Plan plan) {
      decisions.increment();
      return super.decide(plan);
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      decisions.increment();
      return super.decideAsync(plan);
    }
  }

  // @end

  @Test
  void store() {
    var rules = List.of(Rule.named("all").limit(TokenBucket.of(Rate.perSecond(1))).build());
    var store = new CountingStore(MemoryStore.create());
    try (var limiter = RateLimiter.with(store, rules)) {
      limiter.check(Subject.of("k"));
      assertThat(limiter.checkAsync(Subject.of("k")).toCompletableFuture()).isCompleted();
    }
    assertThat(store.decisions.sum()).isEqualTo(2);
  }
}
