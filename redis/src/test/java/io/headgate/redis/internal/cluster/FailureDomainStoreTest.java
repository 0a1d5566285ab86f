package io.headgate.redis.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.outage.OutageListener;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.FailurePolicy;
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
import io.lettuce.core.cluster.SlotHash;
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

/** A store of which parts are dead, behind zones. */
class FailureDomainStoreTest {
  private static final int COUNT = 32;
  private static final RuleSet RULES =
      RuleSet.of(
          rule("everybody").per().limit(new TokenBucket(Rate.perDay(10))).build(),
          rule("each").match("user", "*").limit(new TokenBucket(Rate.perDay(1_000))).build());

  private final Parts parts = new Parts();
  private final FailureDomainStore zones =
      new FailureDomainStore(
          COUNT,
          parts,
          plan -> parts.decide(plan),
          FailureDomainStoreTest::slotOf,
          () -> 1,
          NO_LISTENER);

  private static Rule.Builder rule(String name) {
    return Rule.named(name).onStoreFailure(new FailurePolicy.Local());
  }

  @AfterEach
  void close() {
    zones.close();
  }

  @Test
  void aFailureOfOneUsersZoneLeavesOtherUsersWithTheStore() {
    var ill = user(zoneOf("") + 1);
    var well = user(zoneOf("") + 2);
    parts.dead.add(zoneOf(ill));
    for (int i = 0; i < 5; i++) {
      assertThat(zones.decide(plan(ill)).source()).isEqualTo(Source.FALLBACK);
      assertThat(zones.decideAsync(plan(ill)).toCompletableFuture().join().source())
          .isEqualTo(Source.FALLBACK);
      assertThat(zones.peek(plan(ill)).source()).isEqualTo(Source.FALLBACK);
      assertThat(zones.decide(plan(well)).source()).isEqualTo(Source.STORE);
      assertThat(zones.peek(plan(well)).source()).isEqualTo(Source.STORE);
    }
    assertThat(parts.asked).as("the dead zone is asked once, then its breaker is open").hasValue(1);
  }

  @Test
  void everyZoneThatFailedIsLeftAlone() {
    var one = user(zoneOf("") + 3);
    parts.dead.add(zoneOf(one));
    parts.dead.add(zoneOf(""));
    assertThat(zones.decide(plan(one)).source()).isEqualTo(Source.FALLBACK);
    var other = user(zoneOf("") + 4);
    assertThat(zones.decide(plan(other)).source()).isEqualTo(Source.FALLBACK);
    assertThat(parts.asked).hasValue(1);
  }

  /** One counter for everybody, however many zones of users are unavailable. */
  @Test
  void localCountersOfPlansThatSpanZonesAreShared() {
    int admitted = 0;
    for (int i = 1; i < COUNT; i++) parts.dead.add((zoneOf("") + i) % COUNT);
    for (int i = 1; i < COUNT; i++) {
      var plan = plan(user(zoneOf("") + i));
      if (plan.allows(zones.decide(plan).outcomes())) admitted++;
    }
    assertThat(admitted).isEqualTo(10);
  }

  @Test
  void aCountOfKeysThatFailsIsHeldAgainstNoZone() {
    parts.dead.add(zoneOf("") + 5);
    for (int i = 0; i < 5; i++) zones.trackedKeys();
    assertThat(zones.isUnavailable()).isFalse();
    assertThat(zones.decide(plan(user(0))).source()).isEqualTo(Source.STORE);
  }

  private static Plan plan(String user) {
    return RULES.plan(Request.of(Subject.of(Map.of("user", user))), 0, 0);
  }

  private static String user(int zone) {
    for (int i = 0; ; i++) {
      if (zoneOf("u" + i) == zone % COUNT) return "u" + i;
    }
  }

  private static int slotOf(String key) {
    return SlotHash.getSlot(RedisKeys.tag(key));
  }

  private static int zoneOf(String key) {
    return slotOf(key) * COUNT / SlotHash.SLOT_COUNT;
  }

  private static final OutageListener NO_LISTENER =
      new OutageListener() {
        @Override
        public void failed(Kind kind) {}

        @Override
        public void opened(String message) {}

        @Override
        public void closed(long outageMicros) {}
      };

  /** Lets every request pass, but those that depend on a dead zone. */
  private static final class Parts implements Store {
    final Set<Integer> dead = ConcurrentHashMap.newKeySet();
    final AtomicInteger asked = new AtomicInteger(); // of dead zones, by callers

    @Override
    public PlanResult decide(Plan plan) {
      var failed = new ArrayList<String>();
      for (var charge : plan.charges()) {
        if (dead.contains(zoneOf(charge.key()))) failed.add(charge.key());
      }
      if (failed.isEmpty()) {
        List<Outcome> outcomes = Collections.nCopies(plan.charges().size(), new Passed(1, 0, 0));
        return new PlanResult(outcomes, Source.STORE);
      }
      if (!failed.getFirst().startsWith("probe")) asked.incrementAndGet();
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
    public boolean renew(Charge charge) {
      return false;
    }

    @Override
    public boolean release(Charge charge) {
      return false;
    }

    @Override
    public void reset(Counter counter, String key) {}

    @Override
    public long trackedKeys() {
      if (!dead.isEmpty()) throw new StoreException(Kind.CONNECTION, "no connection", null);
      return 0;
    }
  }
}
