package io.headgate.outage;

import static io.headgate.outage.Asks.START;
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

/** Who is sent to the store and who is not, and who goes to see whether it is back. */
class OutageBreakerTest {
  private static final Plan PLAN =
      RuleSet.of(
              Rule.named("r")
                  .onStoreFailure(new Local())
                  .limit(new TokenBucket(Rate.perDay(1_000)))
                  .build())
          .plan(Request.of(Subject.of("x")), 0, 0);

  private final AtomicLong clock = new AtomicLong(START);
  private final FaultyStore remote = new FaultyStore(clock::get);
  private final News news = new News();
  private final CircuitBreakingStore store =
      CircuitBreakingStore.before(remote, remote::probe, () -> 2, news, clock::get, 1_000);

  private static final class News implements OutageListener {
    final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void failed(Kind kind) {
      heard.add("failed " + kind.label());
    }

    @Override
    public void opened(String message) {
      heard.add("opened " + message);
    }

    @Override
    public void closed(long outageMicros) {
      heard.add("closed " + outageMicros);
    }

    Stream<String> turns() {
      return heard.stream()
          .filter(text -> !text.startsWith("failed"))
          .map(text -> text.substring(0, 6));
    }
  }

  /** Threads of other stores, closed a moment ago, may still be on their way out. */
  @BeforeEach
  void awaitQuiet() {
    await().atMost(Duration.ofMinutes(1)).until(() -> probers().isEmpty());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void afterALostConnectionNobodyIsSentToTheStore() {
    remote.fail(Kind.CONNECTION);
    for (int i = 0; i < 100; i++) {
      store.decide(PLAN);
      store.peek(PLAN);
      var unused = store.decideAsync(PLAN);
      store.trackedKeys();
    }
    assertThat(remote.asked()).isEqualTo(1);
  }

  @Test
  void afterThreeTimeoutsInARowNobodyIsSentToTheStore() {
    remote.fail(Kind.TIMEOUT);
    for (int i = 0; i < 100; i++) store.decide(PLAN);
    assertThat(remote.asked()).isEqualTo(3);
    assertThat(news.heard)
        .containsExactly(
            "failed timeout", "failed timeout", "failed timeout", "opened timeout: told to fail");
  }

  @Test
  void aSuccessBetweenTimeoutsKeepsTheStoreInUse() {
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
  void whatTheStoreDidNotSayItselfDoesNotShowThatItIsThere() {
    var knowing = new AtomicBoolean();
    Store half =
        new ForwardingStore(remote) {
          @Override
          public PlanResult decide(Plan plan) {
            return knowing.get()
                ? new PlanResult(new Passed(1, 0, 0), Source.CACHE)
                : super.decide(plan);
          }
        };
    remote.fail(Kind.TIMEOUT);
    try (var decorated =
        CircuitBreakingStore.before(
            half, remote::probe, () -> 2, OutageListener.NONE, clock::get, 10)) {
      for (int i = 0; i < 3; i++) {
        knowing.set(false);
        decorated.decide(PLAN);
        knowing.set(true);
        decorated.decide(PLAN);
      }
      assertThat(decorated.isUnavailable()).isTrue();
    }
  }

  @Test
  void anOverloadIsAnsweredByPolicyAndTheStoreStaysInUse() {
    remote.fail(Kind.OVERLOADED);
    for (int i = 0; i < 100; i++) {
      assertThat(store.decide(PLAN).source()).isEqualTo(Source.FALLBACK);
    }
    assertThat(remote.asked()).isEqualTo(100);
    assertThat(store.isUnavailable()).isFalse();
  }

  @Test
  void aProbeFindsTheStoreBackAndTheListenerHearsHowLongItWas() {
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    clock.addAndGet(7_000_000);
    await().atMost(Duration.ofMinutes(1)).until(() -> remote.probed() >= 2);
    assertThat(store.isUnavailable()).isTrue();
    recover();
    assertThat(store.decide(PLAN).source()).isEqualTo(Source.STORE);
    await().atMost(Duration.ofMinutes(1)).until(() -> news.heard.contains("closed 7000000"));
    assertThat(remote.asked()).isEqualTo(2);
  }

  @Test
  void noThreadProbesWhileTheStoreIsThere() {
    store.decide(PLAN);
    assertThat(probers()).isEmpty();
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    recover();
    await().atMost(Duration.ofMinutes(1)).until(() -> probers().isEmpty());
    int probed = remote.probed();
    store.decide(PLAN);
    assertThat(remote.probed()).isEqualTo(probed);
  }

  @Test
  void closingEndsTheProbingAndTheStore() {
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    assertThat(probers()).hasSize(1);
    store.close();
    await().atMost(Duration.ofMinutes(1)).until(() -> probers().isEmpty());
    assertThat(remote.isClosed()).isTrue();
  }

  @Test
  void whoFailsAfterClosingStartsNoProbing() {
    store.close();
    remote.fail(Kind.CONNECTION);
    assertThat(store.decide(PLAN).source()).isEqualTo(Source.FALLBACK);
    assertThat(probers()).isEmpty();
  }

  @Test
  void aListenerThatFailsHarmsNobody() {
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
        CircuitBreakingStore.before(remote, remote::probe, () -> 2, broken, clock::get, 10)) {
      assertThat(decorated.decide(PLAN).source()).isEqualTo(Source.FALLBACK);
      assertThat(decorated.isUnavailable()).isTrue();
      remote.heal();
      await().atMost(Duration.ofMinutes(1)).until(() -> !decorated.isUnavailable());
    }
  }

  @Test
  void aFailingProbeIsShown() {
    remote.fail(Kind.CONNECTION);
    store.decide(PLAN);
    remote.fail(() -> new IllegalStateException("NOAUTH"));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> store.lastProblem().orElse("").startsWith("probe: "));
    assertThat(store.lastProblem().orElseThrow()).contains("NOAUTH");
  }

  @Test
  void aStageThatFailsIsAnsweredByPolicy() {
    remote.fail(Kind.REFUSED);
    for (int left = 499; left > 490; left--) {
      var answer = store.decideAsync(PLAN).toCompletableFuture().join();
      assertThat(answer.source()).isEqualTo(Source.FALLBACK);
      assertThat(answer.first().remaining()).isEqualTo(left);
    }
    assertThat(remote.asked()).isEqualTo(3);
    recover();
    assertThat(store.decideAsync(PLAN).toCompletableFuture().join().source())
        .isEqualTo(Source.STORE);
  }

  @Test
  void aStageThatWasNeverMadeIsAnsweredByPolicy() {
    Store thrower =
        new ForwardingStore(remote) {
          @Override
          public CompletionStage<PlanResult> decideAsync(Plan plan) {
            throw new StoreException(Kind.CONNECTION, "at once", null);
          }
        };
    try (var decorated =
        CircuitBreakingStore.before(
            thrower, remote::probe, () -> 2, OutageListener.NONE, clock::get, 10)) {
      assertThat(decorated.decideAsync(PLAN).toCompletableFuture().join().source())
          .isEqualTo(Source.FALLBACK);
      assertThat(decorated.lastProblem()).hasValue("connection: at once");
    }
  }

  @Test
  void manyWhoWaitForASilentStoreAreAllAnsweredAndNoneFollowsThem() throws Exception {
    int callers = 32;
    remote.fallSilent();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers =
          Stream.generate(() -> threads.submit((Callable<PlanResult>) () -> store.decide(PLAN)))
              .limit(callers)
              .toList();
      await().atMost(Duration.ofMinutes(1)).until(() -> remote.waiting() == callers);
      remote.timeOut();
      for (var answer : answers) assertThat(answer.get().source()).isEqualTo(Source.FALLBACK);
    }
    assertThat(store.isUnavailable()).isTrue();
    store.decide(PLAN);
    assertThat(remote.asked()).isEqualTo(callers);
    assertThat(news.turns()).containsExactly("opened");
  }

  /** The share is 500; it is the same one, however often the store comes and goes. */
  @Test
  void whileTheStoreComesAndGoesManyThreadsGetNoMoreThanOneShareHereAndTheLimitThere()
      throws Exception {
    var here = new AtomicInteger();
    var there = new AtomicInteger();
    var done = new AtomicBoolean();
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (int t = 0; t < 4; t++) {
        var unused =
            threads.submit(() -> {
              while (!done.get()) {
                var answer = store.decide(PLAN);
                if (!(answer.first() instanceof Passed)) continue;
                (answer.source() == Source.STORE ? there : here).incrementAndGet();
              }
              return null;
            });
      }
      for (int outage = 0; outage < 4; outage++) {
        remote.fail(outage % 2 == 0 ? Kind.CONNECTION : Kind.TIMEOUT);
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> store.isUnavailable() && here.get() >= 500);
        recover();
      }
      await().atMost(Duration.ofMinutes(1)).until(() -> there.get() >= 1_000);
      done.set(true);
    }
    assertThat(there).hasValue(1_000);
    assertThat(here).hasValue(500);
    var turns = news.turns().toList();
    assertThat(turns).hasSizeGreaterThanOrEqualTo(7); // of the last, the news may be on its way
    for (int i = 0; i < turns.size(); i++) {
      assertThat(turns.get(i)).isEqualTo(i % 2 == 0 ? "opened" : "closed");
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
