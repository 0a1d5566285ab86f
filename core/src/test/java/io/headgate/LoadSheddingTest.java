package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.Shed;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Unlimited;
import io.headgate.load.LoadSignal;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Counter;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.BackendLevel;
import io.headgate.store.ForwardingStore;
import io.headgate.store.LoadReading;
import io.headgate.store.MemoryStore;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoadSheddingTest {
  private static final Subject CHECKOUT = Subject.of("backend", "checkout");
  private static final ShedPolicy POLICY =
      ShedPolicy.of(SignalKind.UTILIZATION, 0.8)
          .withPriorities("priority", "critical", "normal", "bulk")
          .withCallers("user");

  private final ManualTicker ticker = new ManualTicker();
  private final MemoryStore store = MemoryStore.create(ticker, 10_000);
  private final List<BackendLevel> changes = new ArrayList<>();
  private RateLimiter limiter = limiter(rule(POLICY));

  private static Rule.Builder builder(ShedPolicy policy) {
    return Rule.named("shed").match("backend", "*").limit(new Shed(policy));
  }

  private static Rule rule(ShedPolicy policy) {
    return builder(policy).build();
  }

  private RateLimiter limiter(Rule... rules) {
    var created = RateLimiter.with(store, RuleSet.of(rules), ticker);
    created.signals().listener(changes::add);
    return created;
  }

  @AfterEach
  void close() {
    limiter.close();
  }

  private static Subject request(String priority, int user) {
    return Subject.of(
        Map.of("backend", "checkout", "priority", priority, "user", Integer.toString(user)));
  }

  /** Sends requests of many users for some seconds while the backend reports; returns drops. */
  private int drive(int seconds, double utilization, String priority, int perSecond) {
    int dropped = 0;
    for (int second = 0; second < seconds; second++) {
      for (int i = 0; i < perSecond; i++) {
        if (!limiter.check(request(priority, i)).isAllowed()) dropped++;
      }
      step(utilization);
    }
    return dropped;
  }

  private void step(double utilization) {
    limiter.signals().report(CHECKOUT, LoadSignal.ofUtilization(utilization));
    limiter.signals().sync().join();
    ticker.advance(Duration.ofSeconds(1));
  }

  private double level() {
    limiter.signals().sync().join();
    return limiter.signals().levels().getFirst().level();
  }

  @Test
  void everyRequestPassesWithoutSignals() {
    assertThat(drive(0, 0, "bulk", 100)).isZero();
    assertThat(limiter.check(request("bulk", 1)).isAllowed()).isTrue();
    assertThat(limiter.rules().hasShedding()).isTrue();
  }

  @Test
  void lowestPriorityIsDroppedFirstAndCriticalLast() {
    var dropped = new int[3];
    var names = List.of("critical", "normal", "bulk");
    double highest = 0;
    for (int second = 0; second < 40; second++) {
      var here = new int[3];
      var passed = new int[3];
      for (int i = 0; i < 90; i++) {
        int p = i % 3;
        if (limiter.check(request(names.get(p), i)).isAllowed()) passed[p]++;
        else here[p]++;
      }
      for (int p = 0; p < 3; p++) {
        dropped[p] += here[p];
        for (int lower = p + 1; here[p] > 0 && lower < 3; lower++) {
          assertThat(passed[lower]).as("%s while %s is dropped", lower, p).isZero();
        }
      }
      step(1.0);
      highest = Math.max(highest, level());
    }
    assertThat(highest).isGreaterThan(0.75);
    assertThat(dropped[2]).isGreaterThan(dropped[1]);
    assertThat(dropped[1]).isGreaterThan(dropped[0]);
    assertThat(dropped[0]).isPositive();
  }

  @Test
  void guaranteedShareOfTheCapacityPassesWhateverIsReported() {
    limiter.replaceRules(RuleSet.of(rule(POLICY.withGuarantee("critical", 200))));
    drive(30, 0.75, "normal", 100); // the capacity is measured as 100 per second, less 10% a minute
    for (int second = 0; second < 60; second++) {
      for (int i = 0; i < 17; i++) {
        assertThat(limiter.check(request("critical", i)).isAllowed()).isTrue();
      }
      for (int i = 0; i < 100; i++) limiter.check(request("normal", i));
      step(1.0);
    }
    assertThat(level()).isGreaterThan(0.9);
  }

  @Test
  void inventedBackendsDisplaceNoBackendThatReports() {
    for (int i = 0; i < 3_000; i++) limiter.check(Subject.of("backend", "invented" + i));
    for (int i = 0; i < 500; i++) {
      limiter.signals().report(Subject.of("backend", "real" + i), LoadSignal.ofUtilization(1));
    }
    limiter.signals().sync().join();
    for (int i = 0; i < 3_000; i++) limiter.check(Subject.of("backend", "other" + i));
    assertThat(limiter.signals().levels())
        .hasSizeLessThanOrEqualTo(1_024)
        .filteredOn(level -> level.backend().startsWith("real"))
        .hasSize(500);
  }

  @Test
  void retryOfADroppedRequestIsDroppedUntilItsRetryTime() {
    drive(20, 1.0, "bulk", 50);
    assertThat(level()).isBetween(0.2, 0.9);
    int retried = 0;
    for (int user = 0; user < 50; user++) {
      var first = limiter.check(request("bulk", user));
      if (!(first instanceof Decision.Denied denied)) continue;
      assertThat(denied.retryAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(61));
      for (int i = 0; i < 5; i++) {
        assertThat(limiter.check(request("bulk", user)).isAllowed()).isFalse();
        retried++;
      }
    }
    assertThat(retried).isPositive();
  }

  @Test
  void instancesDropTheSameCallers() {
    var other = limiter(rule(POLICY));
    for (int second = 0; second < 15; second++) {
      for (int i = 0; i < 60; i++) {
        limiter.check(request("bulk", i));
        other.check(request("bulk", i));
      }
      limiter.signals().report(CHECKOUT, LoadSignal.ofUtilization(1));
      limiter.signals().sync().join();
      other.signals().sync().join();
      ticker.advance(Duration.ofSeconds(1));
    }
    int dropped = 0;
    for (int i = 0; i < 60; i++) {
      var here = limiter.peek(request("bulk", i)).isAllowed();
      assertThat(other.peek(request("bulk", i)).isAllowed()).isEqualTo(here);
      if (!here) dropped++;
    }
    assertThat(dropped).isBetween(5, 55);
  }

  @Test
  void heavyCallerIsDroppedBeforeTheOthersOfItsPriority() {
    int heavyDropped = 0;
    int otherDropped = 0;
    for (int second = 0; second < 30; second++) {
      for (int i = 0; i < 300; i++) {
        boolean heavy = i % 3 > 0;
        boolean passed = limiter.check(request("bulk", heavy ? 0 : i)).isAllowed();
        if (!passed && second > 10) {
          if (heavy) heavyDropped++;
          else otherDropped++;
        }
      }
      step(level() < 0.4 ? 1.0 : 0.75);
    }
    assertThat(heavyDropped).isGreaterThan(500);
    assertThat(otherDropped).isLessThan(heavyDropped / 10);
  }

  @Test
  void levelFadesWhenTheBackendIsSilent() {
    drive(30, 1.0, "bulk", 50);
    assertThat(level()).isPositive();
    ticker.advance(Duration.ofSeconds(15));
    for (int i = 0; i < 50; i++) {
      assertThat(limiter.check(request("bulk", i)).isAllowed()).isTrue();
    }
    assertThat(level()).isZero();
  }

  @Test
  void lostStoreKeepsTheLevelAndLetsItFade() {
    var signals = new LosableSignals(store.signals().orElseThrow());
    limiter.close();
    limiter =
        RateLimiter.with(
            new ForwardingStore(store) {
              @Override
              public Optional<SignalStore> signals() {
                return Optional.of(signals);
              }
            },
            RuleSet.of(rule(POLICY)),
            ticker);
    drive(30, 1.0, "bulk", 50);
    double held = level();
    assertThat(held).isPositive();
    signals.lost = true;
    ticker.advance(Duration.ofSeconds(3));
    assertThat(level()).isEqualTo(held);
    signals.lost = false;
    signals.empty = true; // restarted without its data
    assertThat(level()).isEqualTo(held);
    ticker.advance(Duration.ofSeconds(6));
    assertThat(level()).isPositive().isLessThan(held);
    ticker.advance(Duration.ofSeconds(7));
    assertThat(limiter.check(request("bulk", 1)).isAllowed()).isTrue();
    assertThat(level()).isZero();
  }

  private static final class LosableSignals implements SignalStore {
    private final SignalStore delegate;
    private boolean lost;
    private boolean empty;

    LosableSignals(SignalStore delegate) {
      this.delegate = delegate;
    }

    @Override
    public CompletionStage<LoadReading> report(SignalReport report) {
      return lost ? failure() : delegate.report(report);
    }

    @Override
    public CompletionStage<LoadReading> read(Counter counter, String key) {
      if (empty) return CompletableFuture.completedStage(LoadReading.NONE);
      return lost ? failure() : delegate.read(counter, key);
    }

    private static CompletionStage<LoadReading> failure() {
      return CompletableFuture.failedStage(
          new StoreException(StoreException.Kind.CONNECTION, "lost", null));
    }
  }

  @Test
  void droppedRequestChargesNothing() {
    var limit =
        Rule.named("calls")
            .match("backend", "*")
            .limit(TokenBucket.of(Rate.perDay(1_000_000)))
            .build();
    limiter.replaceRules(RuleSet.of(rule(POLICY), limit));
    drive(60, 1.0, "bulk", 20);
    long before = remaining();
    int passed = 0; // about 5% of the users, selected by a random seed
    for (int i = 0; i < 1_000; i++) {
      var result = limiter.checkForResult(request("bulk", i));
      if (result.isAllowed()) passed++;
      else assertThat(result.rule().orElseThrow().id()).isEqualTo("shed");
    }
    assertThat(passed).isBetween(1, 500);
    assertThat(before - remaining()).isBetween((long) passed - 1, (long) passed);
  }

  private long remaining() {
    return limiter.explain(CHECKOUT).stream()
        .flatMap(rule -> rule.limits().stream())
        .filter(report -> report.rule().equals("calls"))
        .findFirst()
        .orElseThrow()
        .remaining();
  }

  @Test
  void shadowRuleReportsWhatItWouldDrop() {
    limiter.replaceRules(RuleSet.of(builder(POLICY).mode(Mode.SHADOW).build()));
    drive(60, 1.0, "bulk", 20);
    int reported = 0;
    for (int i = 0; i < 100; i++) {
      var result = limiter.checkForResult(request("bulk", i));
      assertThat(result.isAllowed()).isTrue();
      reported += result.shadowDenials().size();
    }
    assertThat(reported).isGreaterThan(50);
  }

  @Test
  void switchingTheRuleOffRestoresTheTrafficAtOnce() {
    drive(60, 1.0, "bulk", 20);
    assertThat(drive(1, 1.0, "bulk", 100)).isGreaterThan(50);
    limiter.replaceRules(RuleSet.of(builder(POLICY).mode(Mode.OFF).build()));
    assertThat(drive(1, 1.0, "bulk", 100)).isZero();
    assertThat(limiter.signals().levels()).isEmpty();
  }

  @Test
  void overrideExcusesItsSubjects() {
    limiter.replaceRules(
        RuleSet.of(builder(POLICY).override("user", "1", new Unlimited()).build()));
    drive(90, 1.0, "bulk", 20);
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.check(request("bulk", 1)).isAllowed()).isTrue();
    }
  }

  @Test
  void ruleThatShedsDoesNotPreventAFallback() {
    var fallback = Rule.named("default").fallback().limit(TokenBucket.of(Rate.perDay(1))).build();
    limiter.replaceRules(RuleSet.of(rule(POLICY), fallback));
    assertThat(limiter.check(request("bulk", 1)).isAllowed()).isTrue();
    assertThat(limiter.check(request("bulk", 1)).isAllowed()).isFalse();
    var explained = limiter.explain(request("bulk", 1));
    assertThat(explained).allMatch(rule -> rule.explanation().applies());
  }

  @Test
  void explanationHasTheLevelThePriorityAndTheSignal() {
    drive(60, 1.0, "bulk", 20);
    var shedding = limiter.explain(request("critical", 1)).getFirst().shedding().orElseThrow();
    assertThat(shedding.priority()).isEqualTo("critical");
    assertThat(shedding.level().value()).isEqualTo(1.0);
    assertThat(shedding.level().reporters()).isEqualTo(1);
    assertThat(shedding.level().level()).isGreaterThan(0.8);
    assertThat(limiter.explain(request("bulk", 1)).getFirst().explanation().reason())
        .isEqualTo("applies and sheds load");
  }

  @Test
  void listenerHearsTheBeginningAndTheEnd() {
    drive(30, 1.0, "bulk", 20);
    assertThat(changes).hasSize(1);
    assertThat(changes.getFirst().level()).isPositive();
    assertThat(changes.getFirst().backend()).isEqualTo("checkout");
    ticker.advance(Duration.ofMinutes(1));
    level();
    assertThat(changes).hasSize(2);
    assertThat(changes.getLast().level()).isZero();
  }

  @Test
  void signalOfAnotherBackendHasNoEffect() {
    assertThat(limiter.signals().report(Subject.of("host", "a"), LoadSignal.ofUtilization(1)))
        .isZero();
    assertThat(limiter.signals().report(CHECKOUT, LoadSignal.NONE.withErrors(1))).isZero();
    for (int second = 0; second < 30; second++) {
      limiter.signals().report(Subject.of("backend", "search"), LoadSignal.ofUtilization(1));
      limiter.signals().sync().join();
      ticker.advance(Duration.ofSeconds(1));
    }
    assertThat(limiter.check(request("bulk", 1)).isAllowed()).isTrue();
  }

  @Test
  void backendsBeyondTheBoundPass() {
    for (int i = 0; i < 3_000; i++) {
      assertThat(limiter.check(Request.of(Subject.of("backend", "b" + i))).isAllowed()).isTrue();
    }
    assertThat(limiter.signals().levels()).hasSizeLessThanOrEqualTo(1_024);
    ticker.advance(Duration.ofMinutes(2));
    limiter.signals().sync().join();
    assertThat(limiter.signals().levels()).isEmpty();
  }
}
