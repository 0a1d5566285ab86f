package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.outage.Reporter;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.testkit.Eventually;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store of which some failure domains are dead. */
class FailureDomainStoreTest {
  private static final int COUNT = 32;
  private static final RuleSet RULES =
      RuleSet.of(
          rule("shared").per().limit(TokenBucket.of(Rate.perDay(10))).build(),
          rule("each").match("user", "*").limit(TokenBucket.of(Rate.perDay(1_000))).build());

  private final PartlyDeadStore backend = new PartlyDeadStore();
  private final FailureDomainStore store =
      new FailureDomainStore(
          COUNT,
          backend,
          plan -> backend.decide(plan),
          Reporter.NONE,
          FailureDomainStoreTest::slotOf,
          () -> 1,
          OutageListener.NONE);

  private static Rule.Builder rule(String name) {
    return Rule.named(name).onStoreFailure(new FailurePolicy.Local());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void failureOfOneDomainLeavesOthersWithTheStore() {
    var unavailable = user(domainOf("") + 1);
    var available = user(domainOf("") + 2);
    backend.dead.add(domainOf(unavailable));
    for (int i = 0; i < 5; i++) {
      assertThat(store.decide(plan(unavailable)).source()).isEqualTo(Source.FALLBACK);
      assertThat(store.decideAsync(plan(unavailable)).toCompletableFuture().join().source())
          .isEqualTo(Source.FALLBACK);
      assertThat(store.peek(plan(unavailable)).source()).isEqualTo(Source.FALLBACK);
      assertThat(store.decide(plan(available)).source()).isEqualTo(Source.STORE);
      assertThat(store.peek(plan(available)).source()).isEqualTo(Source.STORE);
    }
    assertThat(backend.failedCalls)
        .as("calls to the dead domain; the first failure opens its circuit breaker")
        .hasValue(1);
  }

  @Test
  void everyFailedDomainGetsNoMoreRequests() {
    var one = user(domainOf("") + 3);
    backend.dead.add(domainOf(one));
    backend.dead.add(domainOf(""));
    assertThat(store.decide(plan(one)).source()).isEqualTo(Source.FALLBACK);
    var other = user(domainOf("") + 4);
    assertThat(store.decide(plan(other)).source()).isEqualTo(Source.FALLBACK);
    assertThat(backend.failedCalls).hasValue(1);
  }

  /** The shared rule has one local counter, however many domains are unavailable. */
  @Test
  void localCountersOfPlansAcrossDomainsAreShared() {
    int admitted = 0;
    for (int i = 1; i < COUNT; i++) backend.dead.add((domainOf("") + i) % COUNT);
    for (int i = 1; i < COUNT; i++) {
      var plan = plan(user(domainOf("") + i));
      if (plan.allows(store.decide(plan).outcomes())) admitted++;
    }
    assertThat(admitted).isEqualTo(10);
  }

  @Test
  void failedKeyCountAffectsNoDomain() {
    backend.dead.add(domainOf("") + 5);
    for (int i = 0; i < 5; i++) store.trackedKeys();
    assertThat(store.isUnavailable()).isFalse();
    assertThat(store.decide(plan(user(0))).source()).isEqualTo(Source.STORE);
  }

  @Test
  void closeClosesTheSharedStoreOnce() {
    store.close();
    assertThat(backend.closed).hasValue(1);
  }

  @Test
  void closedStoreStopsProbing() {
    backend.dead.add(domainOf(""));
    assertThat(store.decide(plan(user(1))).source()).isEqualTo(Source.FALLBACK);
    assertThat(probers()).isNotEmpty();
    store.close();
    Eventually.holds("no probes", Duration.ofSeconds(20), () -> probers().isEmpty());
  }

  private static List<Thread> probers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("headgate-probe") && thread.isAlive())
        .toList();
  }

  private static Plan plan(String user) {
    return RULES.plan(Request.of(Subject.of(Map.of("user", user))), 0, 0);
  }

  private static String user(int domain) {
    for (int i = 0; ; i++) {
      if (domainOf("u" + i) == domain % COUNT) return "u" + i;
    }
  }

  private static int slotOf(String key) {
    return SlotHash.getSlot(CounterKeys.tag(key));
  }

  private static int domainOf(String key) {
    return slotOf(key) * COUNT / SlotHash.SLOT_COUNT;
  }

  /** Allows every request except those that depend on a dead domain. */
  private static final class PartlyDeadStore extends ForwardingStore {
    final Set<Integer> dead = ConcurrentHashMap.newKeySet();
    final AtomicInteger failedCalls = new AtomicInteger(); // by callers, to dead domains
    final AtomicInteger closed = new AtomicInteger();

    PartlyDeadStore() {
      super(MemoryStore.create());
    }

    @Override
    public PlanResult decide(Plan plan) {
      var failed = new ArrayList<String>();
      for (var charge : plan.charges()) {
        if (dead.contains(domainOf(charge.key()))) failed.add(charge.key());
      }
      if (failed.isEmpty()) {
        List<Outcome> outcomes = Collections.nCopies(plan.charges().size(), new Passed(1, 0, 0));
        return new PlanResult(outcomes, Source.STORE);
      }
      if (!failed.getFirst().startsWith("probe")) failedCalls.incrementAndGet();
      throw new StoreException(Kind.CONNECTION, "no connection", null).at(failed);
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      try {
        return CompletableFuture.completedStage(decide(plan));
      } catch (StoreException e) {
        return CompletableFuture.failedStage(e);
      }
    }

    @Override
    public PlanResult peek(Plan plan) {
      return decide(plan);
    }

    @Override
    public long trackedKeys() {
      if (!dead.isEmpty()) throw new StoreException(Kind.CONNECTION, "no connection", null);
      return super.trackedKeys();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
      super.close();
    }
  }
}
