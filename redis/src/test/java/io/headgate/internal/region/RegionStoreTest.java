package io.headgate.internal.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.consistency.HoldingStore;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Rate;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Mode;
import io.headgate.rule.RegionScope;
import io.headgate.rule.RegionSettings;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.HoldStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Decides plans of one region, with home as a map and time by hand. */
class RegionStoreTest {
  private static final long SECOND = 1_000_000;
  private static final Holdable HUNDRED = FixedWindow.of(Rate.perDay(100));

  private long micros = 1_000_000 * SECOND;
  private final Home home = new Home();
  private final MemoryStore regional = MemoryStore.create(() -> micros, 1_000);
  private final MemoryStore strictHome = MemoryStore.create(() -> micros, 1_000);
  private final RegionShares shares =
      new RegionShares(home, ShareTiming.DEFAULT, () -> micros * 1_000);
  private final RegionStore store =
      new RegionStore("eu", regional, strictHome, shares, Optional.of(strictHome));
  private RuleSet rules = RuleSet.of(shared("all").build());

  /** Home: executes requests at once, or keeps them until the test does. */
  private final class Home implements HoldingStore {
    private final Map<String, State> states = new HashMap<>();
    private final List<Runnable> pending = new ArrayList<>();
    private boolean keeps;
    private boolean silent;
    private boolean crowded;
    private int requests;
    private long order;

    @Override
    public CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease) {
      requests++;
      var reply = new CompletableFuture<HoldResult>();
      var request = new HoldRequest(7, ++order, usage, charge.cost(), crowded ? 0 : want, lease);
      Runnable execute =
          () -> {
            var key = charge.counter().rule() + charge.key();
            var limit = (Holdable) charge.limit();
            var result = request.from(limit, states.getOrDefault(key, State.FRESH), micros);
            states.put(key, result.state());
            reply.complete(new HoldResult(result.outcome(), result.held(), micros + lease));
          };
      if (silent) reply.completeExceptionally(new StoreException(Kind.TIMEOUT, "silent", null));
      else if (keeps) pending.add(execute);
      else execute.run();
      return reply;
    }

    void answer() {
      var all = List.copyOf(pending);
      pending.clear();
      all.forEach(Runnable::run);
    }

    @Override
    public CompletionStage<ReportResult> report(Charge charge) {
      throw new UnsupportedOperationException();
    }
  }

  private static Rule.Builder shared(String id) {
    return Rule.named(id).match("user", "*").limit(HUNDRED);
  }

  private static RegionSettings scope(RegionScope scope) {
    return new RegionSettings(Optional.of(scope), Map.of());
  }

  private static RegionSettings split(Map<String, Integer> permille) {
    return new RegionSettings(Optional.empty(), permille);
  }

  private CompletionStage<PlanResult> start(long cost) {
    return store.decideAsync(rules.plan(Request.of(Subject.of("user", "a"), cost), micros, 0));
  }

  private PlanResult decide() {
    return start(1).toCompletableFuture().join();
  }

  private boolean isAllowed(PlanResult result) {
    var plan = rules.plan(Request.of(Subject.of("user", "a"), 1), micros, 0);
    return plan.allows(result.outcomes());
  }

  private boolean check() {
    return isAllowed(decide());
  }

  private long admitted(int checks) {
    long count = 0;
    for (int i = 0; i < checks; i++) {
      if (check()) count++;
      micros += SECOND / 100;
      shares.sync();
    }
    return count;
  }

  @Test
  void aloneRegionGetsTheWholeLimit() {
    assertThat(admitted(300)).isEqualTo(100);
  }

  @Test
  void callerOverItsLimitCausesFewRequests() {
    admitted(300);
    int before = home.requests;
    admitted(1_000);
    assertThat(home.requests - before).isLessThan(20);
  }

  @Test
  void firstCheckWaitsForHome() {
    home.keeps = true;
    var first = start(1).toCompletableFuture();
    assertThat(first).isNotDone();
    home.answer();
    assertThat(first).isCompletedWithValueMatching(this::isAllowed);
    assertThat(first.join().source()).isEqualTo(Source.LEASE);
  }

  @Test
  void requestThatAnotherRuleDeniesLeavesTheShare() {
    rules =
        RuleSet.of(
            shared("all").build(),
            Rule.named("closed")
                .match("user", "*")
                .limit(FixedWindow.of(Rate.perDay(1)))
                .regions(scope(RegionScope.LOCAL))
                .build());
    assertThat(check()).isTrue();
    for (int i = 0; i < 50; i++) assertThat(check()).isFalse();
    rules = RuleSet.of(shared("all").build());
    micros += 10 * SECOND;
    shares.sync(); // reports, and returns the rest
    assertThat(admitted(300)).isEqualTo(99);
  }

  @Test
  void splitIsSpentBeforeThePool() {
    rules = RuleSet.of(shared("all").regions(split(Map.of("eu", 300, "us", 500))).build());
    home.silent = true;
    assertThat(admitted(100)).isEqualTo(30);
    home.silent = false;
    micros += SECOND;
    shares.sync();
    assertThat(admitted(300)).isEqualTo(20);
  }

  @Test
  void regionWithoutAPartIsDenied() {
    rules = RuleSet.of(shared("all").regions(split(Map.of("us", 1_000))).build());
    assertThat(check()).isFalse();
    assertThat(home.requests).isZero();
  }

  @Test
  void shareIsSpentWhileHomeIsSilentUntilItsLeaseEnds() {
    admitted(50);
    micros += SECOND / 10;
    home.silent = true;
    long spent = admitted(100);
    assertThat(spent).isBetween(1L, 50L);
    micros += 3 * SECOND;
    shares.sync();
    assertThat(decide().source()).isEqualTo(Source.REGION);
    micros += 40 * SECOND;
    assertThat(check()).isFalse();
  }

  @Test
  void ruleThatAllowsDoesSoWhileHomeIsSilent() {
    rules = RuleSet.of(shared("all").onStoreFailure(new FailurePolicy.Allow()).build());
    home.silent = true;
    var result = decide();
    assertThat(isAllowed(result)).isTrue();
    assertThat(result.source()).isEqualTo(Source.FALLBACK);
  }

  @Test
  void ruleThatDeniesWithoutHomeDoesSoByItsPolicy() {
    rules = RuleSet.of(shared("all").onStoreFailure(new FailurePolicy.Deny()).build());
    home.silent = true;
    assertThat(check()).isFalse();
    assertThat(decide().source()).isEqualTo(Source.FALLBACK);
  }

  @Test
  void shadowRuleWithoutHomeDoesNotNameTheRegion() {
    rules = RuleSet.of(shared("all").mode(Mode.SHADOW).build());
    home.silent = true;
    assertThat(decide().source()).isNotIn(Source.REGION, Source.FALLBACK);
  }

  private Optional<HoldStore.Target> target() {
    var plan = rules.plan(Request.of(Subject.of("user", "a"), 1), micros, 0);
    return store.holds().orElseThrow().targetOf(plan.parts().getFirst(), plan.charges().getFirst());
  }

  @Test
  void permitsOfSharedRulesAreHeldAtHome() {
    var target = target().orElseThrow();
    target.store().hold(target.charge(), new HoldRequest(1, 1, Usage.NONE, 0, 60, SECOND));
    assertThat(strictHome.trackedKeys()).isEqualTo(1);
    assertThat(regional.trackedKeys()).isZero();
    assertThat(target.maxLease()).isEqualTo(30 * SECOND);
  }

  @Test
  void permitsOfLocalRulesAndOfASplitAreHeldInTheRegion() {
    for (var settings : List.of(scope(RegionScope.LOCAL), split(Map.of("eu", 300)))) {
      rules = RuleSet.of(shared("all").regions(settings).build());
      var target = target().orElseThrow();
      target.store().hold(target.charge(), new HoldRequest(1, 1, Usage.NONE, 0, 10, SECOND));
      assertThat(target.charge().limit().capacity())
          .isEqualTo(settings.split().isEmpty() ? 100 : 30);
    }
    assertThat(regional.trackedKeys()).isEqualTo(1);
    assertThat(strictHome.trackedKeys()).isZero();
  }

  @Test
  void regionWithoutASplitHoldsPermitsOfThePool() {
    rules = RuleSet.of(shared("all").regions(split(Map.of("us", 300))).build());
    assertThat(target().orElseThrow().charge().limit().capacity()).isEqualTo(70);
    rules = RuleSet.of(shared("all").regions(split(Map.of("us", 1_000))).build());
    assertThat(target()).isEmpty();
  }

  @Test
  void idleShareIsReturned() {
    assertThat(check()).isTrue();
    micros += 5 * SECOND;
    shares.sync();
    var state = home.states.values().iterator().next();
    assertThat(HUNDRED.step(state, micros, 0).outcome().remaining()).isEqualTo(99);
    assertThat(shares.byRule().get("all").held()).isZero();
  }

  @Test
  void shadowRuleNeverDeniesAndNeverWaits() {
    rules = RuleSet.of(shared("all").mode(Mode.SHADOW).build());
    home.keeps = true;
    assertThat(check()).isTrue();
  }

  @Test
  void homeDecidesIfItHasNoRoomForAnotherHolder() {
    home.crowded = true;
    assertThat(admitted(200)).isBetween(97L, 99L); // requests to convert the counter are charged
  }

  @Test
  void limitThatCanNotBeSharedIsDecidedAtHome() {
    rules = RuleSet.of(Rule.named("slots").match("user", "*").limit(Concurrency.of(2)).build());
    assertThat(check()).isTrue();
    assertThat(strictHome.trackedKeys()).isEqualTo(1);
    assertThat(regional.trackedKeys()).isZero();
  }

  @Test
  void changedLimitIsTakenOverInProportion() {
    assertThat(admitted(60)).isEqualTo(60);
    rules =
        RuleSet.of(shared("all").limits(List.of()).limit(FixedWindow.of(Rate.perDay(50))).build());
    micros += 5 * SECOND;
    shares.sync();
    assertThat(admitted(100)).isBetween(17L, 20L);
  }

  @Test
  void costAboveThePoolIsImpossible() {
    rules = RuleSet.of(shared("all").regions(split(Map.of("us", 500))).build());
    var result = start(60).toCompletableFuture().join();
    assertThat(result.first().getClass().getSimpleName()).isEqualTo("ExceedsCapacity");
  }

  @Test
  void peekAddsTheShareToThePermitsAtHome() {
    rules = RuleSet.of(shared("all").regions(split(Map.of("us", 500))).build());
    assertThat(check()).isTrue();
    var plan = rules.plan(Request.of(Subject.of("user", "a"), 0), micros, 0);
    assertThat(store.peek(plan).first().remaining()).isGreaterThanOrEqualTo(50);
  }

  @Test
  void reservationsAreNotOfferedWithoutAGuardedHome() {
    var unguarded = new RegionStore("eu", regional, strictHome, shares, Optional.empty());
    assertThat(unguarded.reservations()).isEmpty();
    assertThat(store.reservations()).isPresent();
  }

  @Test
  void bucketIsSharedToo() {
    rules =
        RuleSet.of(shared("all").limits(List.of()).limit(TokenBucket.of(Rate.perDay(100))).build());
    assertThat(admitted(300)).isBetween(99L, 100L);
  }
}
