package io.headgate.internal.outage;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when requests are sent to the store, and when it is probed. */
class OutageBreakerTest {
  private static final Plan PLAN =
      RuleSet.of(
              Rule.named("r")
                  .onStoreFailure(new Local())
                  .limit(TokenBucket.of(Rate.perDay(1_000)))
                  .build())
          .plan(Request.of(Subject.of("x")), 0, 0);

  private final AtomicLong clock = new AtomicLong(START);
  private final FaultyStore remote = new FaultyStore(clock::get);
  private final RecordingListener listener = new RecordingListener();
  private final CircuitBreakingStore store =
      TestStores.around(remote, remote::probe, () -> 2, listener, clock::get, 1_000);

  private static final class RecordingListener implements OutageListener {
    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void failed(Kind kind) {
      events.add("failed " + kind.label());
    }

    @Override
    public void opened(String message) {
      events.add("opened " + message);
    }

    @Override
    public void closed(long outageMicros) {
      events.add("closed " + outageMicros);
    }

    Stream<String> transitions() {
      return events.stream()
          .filter(text -> !text.startsWith("failed"))
          .map(text -> text.substring(0, 6));
    }
  }

  /** Waits for the threads of stores that other tests have closed. */
  @BeforeEach
  void awaitNoProbers() {
    await().atMost(Duration.ofMinutes(1)).until(() -> probers().isEmpty());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void connectionFailureStopsRequestsToTheStore() {
    remote.fail(Kind.CONNECTION);
    for (int i = 0; i < 100; i++) {
      store.decide(PLAN);
      store.peek(PLAN);
      var unused = store.decideAsync(PLAN);
      store.trackedKeys();
    }
    assertThat(remote.requests()).isEqualTo(1);
  }

  @Test
  void threeConsecutiveTimeoutsStopRequestsToTheStore() {
    remote.fail(Kind.TIMEOUT);
    for (int i = 0; i < 100; i++) store.decide(PLAN);
    assertThat(remote.requests()).isEqualTo(3);
    assertThat(listener.events)
        .containsExactly(
            "failed timeout",
            "failed timeout",
            "failed timeout",
            "opened timeout: injected failure");
  }

  @Test
  void successBetweenTimeoutsKeepsTheBreakerClosed() {
    for (int i = 0; i < 20; i++) {
      remote.fail(Kind.TIMEOUT);
      store.decide(PLAN);
      store.peek(PLAN);
      remote.heal();
      assertThat(store.decide(PLAN).source()).isEqualTo(Source.STORE);
    }
    assertThat(store.isUnavailable()).isFalse();
  }

  @Test
  void cachedDecisionDoesNotCountAsSuccess() {
    var cached = new AtomicBoolean();
    Store caching =
        new ForwardingStore(remote) {
          @Override
          public PlanResult decide(Plan plan) {
            return cached.get()
                ? new PlanResult(new Passed(1, 0, 0), Source.CACHE)
                : super.decide(plan);
          }
        };
    remote.fail(Kind.TIMEOUT);
    try (var decorated =
        TestStores.around(caching, remote::probe, () -> 2, OutageListener.NONE, clock::get, 10)) {
      for (int i = 0; i < 3; i++) {
        cached.set(false);
        decorated.decide(PLAN);
        cached.set(true);
        decorated.decide(PLAN);
      }
      assertThat(decorated.isUnavailable()).isTrue();
    }
  }

  @Test
  void overloadIsDecidedByTheLastAnswerAndKeepsTheBreakerClosed() {
    remote.fail(Kind.OVERLOADED);
    int admitted = 0;
    for (int i = 0; i < 100; i++) {
      var result = store.decide(PLAN);
      assertThat(result.source()).isEqualTo(Source.CACHE);
      if (PLAN.allows(result.outcomes())) admitted++;
    }
    assertThat(admitted).as("requests of a counter without an answer").isEqualTo(1);
    assertThat(remote.requests()).isEqualTo(100);
    assertThat(store.isUnavailable()).isFalse();
  }

  @Test
  void successfulProbeClosesTheBreakerAndNotifiesTheOutageTime() {
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    clock.addAndGet(7_000_000);
    await().atMost(Duration.ofMinutes(1)).until(() -> remote.probes() >= 2);
    assertThat(store.isUnavailable()).isTrue();
    recover();
    assertThat(store.decide(PLAN).source()).isEqualTo(Source.STORE);
    await().atMost(Duration.ofMinutes(1)).until(() -> listener.events.contains("closed 7000000"));
    assertThat(remote.requests()).isEqualTo(2);
  }

  @Test
  void availableStoreIsNotProbed() {
    store.decide(PLAN);
    assertThat(probers()).isEmpty();
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    recover();
    await().atMost(Duration.ofMinutes(1)).until(() -> probers().isEmpty());
    int probes = remote.probes();
    store.decide(PLAN);
    assertThat(remote.probes()).isEqualTo(probes);
  }

  @Test
  void closeStopsProbingAndClosesTheStore() {
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    assertThat(probers()).hasSize(1);
    store.close();
    await().atMost(Duration.ofMinutes(1)).until(() -> probers().isEmpty());
    assertThat(remote.isClosed()).isTrue();
  }

  @Test
  void failureAfterCloseStartsNoProbing() {
    store.close();
    remote.fail(Kind.CONNECTION);
    assertThat(store.decide(PLAN).source()).isEqualTo(Source.FALLBACK);
    assertThat(probers()).isEmpty();
  }

  @Test
  void failingListenerDoesNotAffectDecisions() {
    var broken =
        new OutageListener() {
          @Override
          public void failed(Kind kind) {
            throw new IllegalStateException("no metrics today");
          }

          @Override
          public void opened(String message) {
            throw new IllegalStateException("no logs either");
          }
        };
    remote.fail(Kind.CONNECTION);
    try (var decorated =
        TestStores.around(remote, remote::probe, () -> 2, broken, clock::get, 10)) {
      assertThat(decorated.decide(PLAN).source()).isEqualTo(Source.FALLBACK);
      assertThat(decorated.isUnavailable()).isTrue();
      remote.heal();
      await().atMost(Duration.ofMinutes(1)).until(() -> !decorated.isUnavailable());
    }
  }

  @Test
  void failedProbeIsReportedAsLastProblem() {
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    remote.fail(() -> new IllegalStateException("NOAUTH"));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> store.lastProblem().orElse("").startsWith("probe: "));
    assertThat(store.lastProblem().orElseThrow()).contains("NOAUTH");
  }

  @Test
  void failedStageIsDecidedByPolicy() {
    remote.fail(Kind.REFUSED);
    for (int left = 499; left > 490; left--) {
      var result = store.decideAsync(PLAN).toCompletableFuture().join();
      assertThat(result.source()).isEqualTo(Source.FALLBACK);
      assertThat(result.first().remaining()).isEqualTo(left);
    }
    assertThat(remote.requests()).isEqualTo(3);
    recover();
    assertThat(store.decideAsync(PLAN).toCompletableFuture().join().source())
        .isEqualTo(Source.STORE);
  }

  @Test
  void exceptionInsteadOfAStageIsDecidedByPolicy() {
    Store thrower =
        new ForwardingStore(remote) {
          @Override
          public CompletionStage<PlanResult> decideAsync(Plan plan) {
            throw new StoreException(Kind.CONNECTION, "at once", null);
          }
        };
    try (var decorated =
        TestStores.around(thrower, remote::probe, () -> 2, OutageListener.NONE, clock::get, 10)) {
      assertThat(decorated.decideAsync(PLAN).toCompletableFuture().join().source())
          .isEqualTo(Source.FALLBACK);
      assertThat(decorated.lastProblem()).hasValue("connection: at once");
    }
  }

  @Test
  void concurrentTimeoutsAreDecidedByTheLastAnswerAndOpenTheBreakerOnce() throws Exception {
    int callers = 32;
    remote.hang();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var results =
          Stream.generate(() -> threads.submit((Callable<PlanResult>) () -> store.decide(PLAN)))
              .limit(callers)
              .toList();
      await().atMost(Duration.ofMinutes(1)).until(() -> remote.waiting() == callers);
      remote.timeOut();
      for (var result : results) assertThat(result.get().source()).isEqualTo(Source.CACHE);
    }
    assertThat(store.isUnavailable()).isTrue();
    store.decide(PLAN);
    assertThat(remote.requests()).isEqualTo(callers);
    assertThat(listener.transitions()).containsExactly("opened");
  }

  /** The share is 500 permits for all outages together. */
  @Test
  void repeatedOutagesGrantOneLocalShareAndTheLimitInTheStore() throws Exception {
    var localAdmitted = new AtomicInteger();
    var remoteAdmitted = new AtomicInteger();
    var done = new AtomicBoolean();
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (int t = 0; t < 4; t++) {
        var unused =
            threads.submit(() -> {
              while (!done.get()) {
                var result = store.decide(PLAN);
                if (!(result.first() instanceof Passed)) continue;
                (result.source() == Source.STORE ? remoteAdmitted : localAdmitted)
                    .incrementAndGet();
              }
              return null;
            });
      }
      for (int outage = 0; outage < 4; outage++) {
        remote.fail(outage % 2 == 0 ? Kind.CONNECTION : Kind.TIMEOUT);
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> store.isUnavailable() && localAdmitted.get() >= 500);
        recover();
      }
      await().atMost(Duration.ofMinutes(1)).until(() -> remoteAdmitted.get() >= 1_000);
      done.set(true);
    }
    assertThat(remoteAdmitted).hasValue(1_000);
    assertThat(localAdmitted).hasValue(500);
    var transitions = listener.transitions().toList();
    assertThat(transitions).hasSizeGreaterThanOrEqualTo(7); // the last notification may be pending
    for (int i = 0; i < transitions.size(); i++) {
      assertThat(transitions.get(i)).isEqualTo(i % 2 == 0 ? "opened" : "closed");
    }
  }

  private void recover() {
    remote.heal();
    await().atMost(Duration.ofMinutes(1)).until(() -> !store.isUnavailable());
  }

  private static List<Thread> probers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("headgate-probe") && thread.isAlive())
        .toList();
  }
}
