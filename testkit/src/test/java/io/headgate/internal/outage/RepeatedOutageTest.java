package io.headgate.internal.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Holdable;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.testkit.ReferenceHoldingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that one, two and five instances with policy {@code local} and a store with repeated
 * outages together admit at most the limit and one share for each instance.
 */
class RepeatedOutageTest {
  private static final int PERMITS = 20;
  private static final long MINUTE = 60_000_000;

  private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
  private final Remote remote = new Remote(ReferenceHoldingStore.shared(clock::get));
  private final List<Instance> instances = new ArrayList<>();
  private long holder;

  /** The shared store of all instances, with injected failures. */
  private static final class Remote extends ForwardingStore {
    private final ReferenceHoldingStore states;
    private @Nullable Kind failure;

    Remote(ReferenceHoldingStore states) {
      super(states);
      this.states = states;
    }

    void fail(Kind kind) {
      failure = kind;
    }

    void heal() {
      failure = null;
    }

    @Override
    protected ReferenceHoldingStore delegate() {
      if (failure != null) throw new StoreException(failure, "injected failure", null);
      return states;
    }

    /** Does nothing: each of the instances closes the shared store. */
    @Override
    public void close() {}

    /** Charges as {@code RedisStore} does. */
    CompletionStage<?> charge(Charge charge) {
      if (charge.limit() instanceof Holdable) return delegate().report(charge);
      var refused = delegate().decide(plan(charge, charge.cost())).first();
      if (refused instanceof Refused && refused.remaining() > 0) {
        delegate().decide(plan(charge, refused.remaining()));
      }
      return CompletableFuture.completedStage(null);
    }

    private static Plan plan(Charge charge, long cost) {
      return rules(charge.limit())
          .plan(Request.of(Subject.of(charge.key()), cost), 0, charge.holder());
    }
  }

  /** Probes when the test calls {@link #succeed}. */
  private static final class ManualProbing implements ProbeSchedule {
    private @Nullable Runnable onSuccess;

    @Override
    public void start(LongSupplier deadline, Runnable onSuccess) {
      this.onSuccess = onSuccess;
    }

    @Override
    public void end() {}

    @Override
    public long dueAt() {
      return 0;
    }

    void succeed() {
      var action = onSuccess;
      onSuccess = null;
      if (action != null) action.run();
    }
  }

  private record Instance(CircuitBreakingStore store, ManualProbing probing) {
    /** Completes a successful probe, and reports the local admissions. */
    void recover() {
      probing.succeed();
      while (store.admissions().keys() > 0) assertThat(store.admissions().report(2)).isTrue();
    }
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("r").per("key").limit(limit).build());
  }

  private void start(int n) {
    for (int i = 0; i < n; i++) {
      var probing = new ManualProbing();
      var local = MemoryStore.create(clock::get, 1_000);
      instances.add(
          new Instance(
              new CircuitBreakingStore(
                  remote,
                  clock::get,
                  () -> n,
                  local,
                  OutageListener.NONE,
                  LocalAdmissions.forTesting(local, remote::charge, clock::get),
                  new LastAnswers(),
                  (Consumer<Throwable> onFailure) -> probing),
              probing));
    }
  }

  @AfterEach
  void close() {
    for (var instance : instances) instance.store.close();
  }

  static Stream<Arguments> instancesAndLimits() {
    var rate = Rate.perMinute(PERMITS);
    var limits =
        List.of(
            TokenBucket.of(rate),
            LeakyBucket.of(rate).withQueue(PERMITS - 1),
            FixedWindow.of(rate),
            SlidingWindow.of(rate),
            RollingWindow.of(rate));
    return Stream.of(1, 2, 5).flatMap(n -> limits.stream().map(limit -> Arguments.of(n, limit)));
  }

  /**
   * Without the reports the store would admit its whole limit in addition to the shares. The first
   * failed request of each instance is not reported, since the store may have charged it.
   */
  @ParameterizedTest
  @MethodSource("instancesAndLimits")
  void localAdmissionsAreChargedToTheStoreAfterTheOutage(int n, Limit limit) {
    start(n);
    remote.fail(Kind.CONNECTION);
    assertThat(demand(limit)).isEqualTo(PERMITS);
    remote.heal();
    for (var instance : instances) instance.recover();
    assertThat(demand(limit)).isEqualTo(n);
    assertThat(demand(limit)).isZero();
  }

  @ParameterizedTest
  @MethodSource("instancesAndLimits")
  void repeatedOutagesWithinAWindowAdmitTheLimitAndOneShareEach(int n, Limit limit) {
    start(n);
    int admitted = demand(limit); // all by the store
    assertThat(admitted).isEqualTo(PERMITS);
    for (int outage = 0; outage < 10; outage++) {
      remote.fail(outage % 2 == 0 ? Kind.CONNECTION : Kind.TIMEOUT);
      admitted += demand(limit);
      remote.heal();
      for (var instance : instances) instance.recover();
      admitted += demand(limit);
    }
    assertThat(admitted).isEqualTo(2 * PERMITS);
  }

  /**
   * A bucket goes into debt for local admissions, so its rate holds in the long run, except during
   * the outages, when the store's bucket refills while the shares are spent. Each window admits its
   * permits, and the shares as many again.
   */
  @ParameterizedTest
  @MethodSource("instancesAndLimits")
  void boundHoldsOverManyWindowsAndOutages(int n, Limit limit) {
    start(n);
    var random = new Random(7 * n);
    long admitted = 0;
    long unreported = 0;
    long unavailableSeconds = 0;
    var plan = rules(limit);
    int minutes = 40;
    for (int step = 0; step < minutes * 60; step++) {
      if (random.nextInt(20) == 0) {
        remote.fail(random.nextBoolean() ? Kind.CONNECTION : Kind.TIMEOUT);
      } else if (random.nextInt(10) == 0) {
        remote.heal();
        for (var instance : instances) instance.recover();
      }
      if (instances.stream().anyMatch(instance -> instance.store.isUnavailable()))
        unavailableSeconds++;
      for (var instance : instances) {
        var request = plan.plan(Request.of(Subject.of("x")), 0, ++holder);
        boolean sent = !instance.store.isUnavailable();
        var result = instance.store.decide(request);
        if (!(result.first() instanceof Passed)) continue;
        admitted++;
        // The store may have charged it, so it is not reported.
        if (sent && result.source() == Source.FALLBACK) unreported++;
      }
      clock.addAndGet(MINUTE / 60);
    }
    assertThat(admitted).isLessThanOrEqualTo(2L * PERMITS * (minutes + 1));
    if (limit instanceof TokenBucket) {
      long refilled = PERMITS * (minutes * 60L + unavailableSeconds) / 60;
      assertThat(admitted - unreported).isLessThanOrEqualTo(2L * PERMITS + refilled);
    }
  }

  @Test
  void requestThatTheStoreMayHaveChargedIsNotReported() {
    start(1);
    var limit = FixedWindow.of(Rate.perHour(PERMITS));
    assertThat(check(limit)).isTrue();
    remote.fail(Kind.TIMEOUT);
    assertThat(check(limit)).isTrue();
    var store = instances.getFirst().store;
    assertThat(store.admissions().keys()).isZero();
    assertThat(check(limit)).isTrue();
    assertThat(check(limit)).isTrue(); // the third failure opens the circuit breaker
    assertThat(store.admissions().keys()).isZero();
    assertThat(check(limit)).isTrue();
    assertThat(store.admissions().keys()).isEqualTo(1);
    remote.heal();
    instances.getFirst().recover();
    assertThat(remaining(limit)).isEqualTo(PERMITS - 2);
  }

  @Test
  void repaidPermitsAreNotReported() {
    start(1);
    var limit = TokenBucket.of(Rate.perMinute(PERMITS));
    remote.fail(Kind.CONNECTION);
    check(limit);
    for (int minute = 0; minute < 10; minute++) {
      assertThat(demand(limit)).isPositive();
      clock.addAndGet(MINUTE);
    }
    clock.addAndGet(-MINUTE / 2); // half of the last minute's permits have been repaid
    remote.heal();
    instances.getFirst().recover();
    assertThat(remaining(limit)).isEqualTo(PERMITS / 2);
  }

  @Test
  void onlyAReportThatTheStoreRefusedIsRepeated() {
    start(1);
    var limit = FixedWindow.of(Rate.perHour(PERMITS));
    var admissions = instances.getFirst().store.admissions();
    remote.fail(Kind.CONNECTION);
    check(limit);
    check(limit);
    remote.fail(Kind.REFUSED);
    assertThat(admissions.report(10)).isFalse();
    assertThat(admissions.keys()).isEqualTo(1);
    remote.fail(Kind.TIMEOUT);
    assertThat(admissions.report(10)).isFalse();
    assertThat(admissions.keys()).isZero();
  }

  @Test
  void slotsAreNotReported() {
    start(1);
    remote.fail(Kind.CONNECTION);
    var limit = Concurrency.of(5).withLease(Duration.ofMinutes(1));
    check(limit);
    assertThat(check(limit)).isTrue();
    assertThat(instances.getFirst().store.admissions().keys()).isZero();
  }

  @Test
  void resetDropsUnreportedAdmissions() {
    start(1);
    var limit = FixedWindow.of(Rate.perHour(PERMITS));
    remote.fail(Kind.CONNECTION);
    check(limit);
    check(limit);
    var store = instances.getFirst().store;
    assertThat(store.admissions().keys()).isEqualTo(1);
    var charge = rules(limit).plan(Request.of(Subject.of("x")), 0, 0).charges().getFirst();
    try {
      store.reset(charge.counter(), charge.key());
    } catch (StoreException e) {
      assertThat(e.kind()).isEqualTo(Kind.CONNECTION);
    }
    assertThat(store.admissions().keys()).isZero();
  }

  /** Returns how many requests pass now if each instance gets more than the limit. */
  private int demand(Limit limit) {
    int admitted = 0;
    for (int i = 0; i < 2 * PERMITS; i++) {
      for (var instance : instances) {
        var plan = rules(limit).plan(Request.of(Subject.of("x")), 0, ++holder);
        if (instance.store.decide(plan).first() instanceof Passed) admitted++;
      }
    }
    return admitted;
  }

  private boolean check(Limit limit) {
    var plan = rules(limit).plan(Request.of(Subject.of("x")), 0, ++holder);
    return instances.getFirst().store.decide(plan).first() instanceof Passed;
  }

  private long remaining(Limit limit) {
    return remote.peek(rules(limit).plan(Request.of(Subject.of("x"), 0), 0, 0)).first().remaining();
  }
}
