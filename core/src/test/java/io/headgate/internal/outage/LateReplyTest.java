package io.headgate.internal.outage;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.rule.Charge;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.LateReply;
import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests requests whose replies arrive after the deadline, while the store is available. */
class LateReplyTest {
  private static final Limit TEN_PER_HOUR = FixedWindow.of(Rate.perHour(10));

  private final AtomicLong clock = new AtomicLong(START);
  private final LateStore remote = new LateStore();
  private final ManualProbes probes = new ManualProbes();
  private final List<Boolean> decidedLate = new ArrayList<>();
  private final MemoryStore local = MemoryStore.create(clock::get, 1_000);
  private final LocalAdmissions admissions =
      LocalAdmissions.forTesting(local, remote::charge, clock::get);
  private int instances = 1;
  private final CircuitBreakingStore store =
      new CircuitBreakingStore(
          remote,
          clock::get,
          () -> instances,
          local,
          new OutageListener() {
            @Override
            public void decidedLate(boolean allowed) {
              decidedLate.add(allowed);
            }
          },
          admissions,
          new LastAnswers(),
          onFailure -> probes);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void lateRequestIsDecidedByTheLastAnswerAndNotByALocalShare() {
    var plan = plan(1, rule("r", new Local()));
    for (int i = 0; i < 10; i++) assertThat(allows(plan)).isTrue();
    remote.late = true;
    var result = store.decide(plan);
    assertThat(plan.allows(result.outcomes())).isFalse();
    assertThat(result.source()).isEqualTo(Source.CACHE);
    assertThat(decidedLate).containsExactly(false);
  }

  /** The store executes late requests in their order, as its connection delivers them. */
  @Test
  void oneInstanceNeverExceedsTheLimit() {
    var plan = plan(1, rule("r", new Local()));
    int admitted = 0;
    for (int i = 0; i < 40; i++) {
      remote.late = i % 3 == 1;
      if (allows(plan)) admitted++;
      if (i % 3 == 2) remote.deliver();
    }
    remote.deliver();
    assertThat(admitted).isEqualTo(10);
    assertThat(remote.charged(plan)).isEqualTo(10);
    assertThat(admissions.keys()).isZero();
  }

  @Test
  void lateRequestsDoNotSpendTheSamePermits() {
    var plan = plan(1, rule("r", new Local()));
    for (int i = 0; i < 8; i++) allows(plan);
    remote.late = true;
    assertThat(List.of(allows(plan), allows(plan), allows(plan)))
        .containsExactly(true, true, false);
  }

  @Test
  void instancesDivideWhatRemains() {
    instances = 4;
    var plan = plan(1, rule("r", new Local()));
    allows(plan); // 9 remain
    remote.late = true;
    assertThat(List.of(allows(plan), allows(plan), allows(plan)))
        .containsExactly(true, true, false);
  }

  @Test
  void unknownCounterAdmitsOneRequest() {
    remote.late = true;
    var plan = plan(1, rule("r", new Local()));
    assertThat(List.of(allows(plan), allows(plan))).containsExactly(true, false);
    remote.deliver();
    assertThat(allows(plan)).isTrue();
  }

  /** The report of the first is in transit, and no answer includes it yet. */
  @Test
  void unknownCounterAdmitsNoSecondRequestWhileTheFirstIsReported() {
    remote.failure = new StoreException(Kind.TIMEOUT, "not sent in time", null).unsent();
    var plan = plan(1, rule("r", new Local()));
    assertThat(List.of(allows(plan), allows(plan))).containsExactly(true, false);
    remote.failure = null;
    assertThat(allows(plan)).isTrue();
    assertThat(remote.charged(plan)).isEqualTo(2);
  }

  @Test
  void admissionThatTheStoreDeniedIsReported() {
    var plan = plan(1, rule("r", new Local()));
    allows(plan); // 9 remain
    for (int i = 0; i < 9; i++) remote.direct.decide(plan); // other instances
    remote.late = true;
    assertThat(allows(plan)).isTrue();
    remote.deliver();
    assertThat(admissions.keys()).isEqualTo(1);
    assertThat(admissions.report(10)).isTrue();
    assertThat(remote.reported)
        .singleElement()
        .satisfies(charge -> assertThat(charge.cost()).isEqualTo(1));
  }

  @Test
  void chargeOfADeniedRequestIsGivenBack() {
    var plan = plan(1, rule("r", new Local()));
    for (int i = 0; i < 10; i++) allows(plan);
    clock.addAndGet(1);
    remote.direct.reset(plan.single().counter(), plan.single().key()); // unknown to this instance
    remote.late = true;
    assertThat(allows(plan)).isFalse();
    remote.deliver();
    assertThat(remote.givenBack).isEqualTo(1);
    assertThat(remote.charged(plan)).isZero();
  }

  @Test
  void chargeOfADeniedRequestIsSetOffAgainstOneThatIsOwed() {
    var rule = rule("r", new Local());
    var one = plan(1, rule);
    var five = plan(5, rule);
    allows(one);
    for (int i = 0; i < 9; i++) remote.direct.decide(one);
    remote.late = true;
    assertThat(allows(five)).isTrue(); // denied there: five permits are owed
    remote.direct.reset(one.single().counter(), one.single().key());
    assertThat(allows(five)).isFalse(); // charged there
    remote.deliver();
    assertThat(remote.givenBack).isZero();
    assertThat(admissions.keys()).isZero();
  }

  @Test
  void denyPolicyDeniesALateRequestAndGivesItsChargeBack() {
    var plan = plan(1, rule("r", new Deny()));
    allows(plan);
    remote.late = true;
    var result = store.decide(plan);
    assertThat(plan.allows(result.outcomes())).isFalse();
    assertThat(result.source()).isEqualTo(Source.FALLBACK);
    remote.deliver();
    assertThat(remote.charged(plan)).isEqualTo(1);
  }

  @Test
  void allowPolicyAllowsALateRequestAndReportsNothing() {
    var plan = plan(1, rule("r", new Allow()));
    for (int i = 0; i < 10; i++) allows(plan);
    remote.late = true;
    assertThat(allows(plan)).isTrue();
    remote.deliver();
    assertThat(admissions.keys()).isZero();
    assertThat(remote.givenBack).isZero();
  }

  @Test
  void planOfSeveralCountersSpendsAllOrNone() {
    var small =
        Rule.named("small").onStoreFailure(new Local()).limit(FixedWindow.of(Rate.perHour(2)));
    var both = plan(1, rule("r", new Local()), small.build());
    var one = plan(1, rule("r", new Local()));
    allows(both); // 9 and 1 remain
    remote.late = true;
    assertThat(List.of(allows(both), allows(both))).containsExactly(true, false);
    int more = 0;
    for (int i = 0; i < 10; i++) if (allows(one)) more++;
    assertThat(more).as("left of the large limit").isEqualTo(8);
  }

  @Test
  void lateSlotOfADeniedRequestIsReleased() {
    var limit = new Concurrency(1, Duration.ofMinutes(1));
    var rule = Rule.named("slots").onStoreFailure(new Local()).limit(limit).build();
    var first = plan(1, 1, rule);
    var second = plan(1, 2, rule);
    assertThat(allows(first)).isTrue();
    remote.direct.release(first.single()); // by another instance
    remote.late = true;
    assertThat(allows(second)).isFalse();
    remote.deliver();
    assertThat(remote.direct.peek(second).first()).isInstanceOf(Passed.class);
    assertThat(remote.givenBack).isEqualTo(1);
  }

  @Test
  void lateSlotOfAnAdmittedRequestIsReleasedInTheStore() {
    var limit = new Concurrency(2, Duration.ofMinutes(1));
    var rule = Rule.named("slots").onStoreFailure(new Local()).limit(limit).build();
    assertThat(allows(plan(1, 1, rule))).isTrue();
    remote.late = true;
    var late = plan(1, 2, rule);
    assertThat(allows(late)).isTrue();
    remote.deliver();
    remote.late = false;
    assertThat(store.release(late.single())).isTrue();
  }

  @Test
  void lostReplySpendsTheAnswer() {
    var plan = plan(1, rule("r", new Local()));
    for (int i = 0; i < 9; i++) allows(plan);
    remote.late = true;
    assertThat(allows(plan)).isTrue();
    remote.loseReplies();
    assertThat(allows(plan)).isFalse();
    assertThat(admissions.keys()).isZero();
  }

  /** The store may only be late, until a second has passed without a success. */
  @Test
  void openBreakerDecidesByAnswersUntilTheOutageIsCertain() {
    var plan = plan(1, rule("r", new Local()));
    for (int i = 0; i < 10; i++) allows(plan);
    remote.late = true;
    for (int i = 0; i < 3; i++) assertThat(allows(plan)).isFalse();
    assertThat(store.isUnavailable()).isTrue();
    clock.addAndGet(999_999);
    assertThat(allows(plan)).isFalse();
    clock.addAndGet(1);
    var result = store.decide(plan);
    assertThat(result.source()).isEqualTo(Source.FALLBACK);
    assertThat(plan.allows(result.outcomes())).isTrue();
  }

  /** Requests that are admitted while the breaker is open were never sent, so they are reported. */
  @Test
  void admissionOfAnOpenBreakerIsReportedAfterwards() {
    var plan = plan(1, rule("r", new Local()));
    allows(plan); // 9 remain
    remote.late = true;
    for (int i = 0; i < 3; i++) assertThat(allows(plan)).isTrue();
    assertThat(allows(plan)).isTrue(); // the breaker is open
    remote.deliver();
    remote.late = false;
    probes.succeed();
    assertThat(admissions.report(10)).isTrue();
    assertThat(remote.reported).hasSize(1);
  }

  @Test
  void storeThatRefusesIsNotLate() {
    var plan = plan(1, rule("r", new Local()));
    for (int i = 0; i < 10; i++) allows(plan);
    remote.failure = new StoreException(Kind.REFUSED, "OOM", null);
    assertThat(store.decide(plan).source()).isEqualTo(Source.FALLBACK);
  }

  private boolean allows(Plan plan) {
    return plan.allows(store.decide(plan).outcomes());
  }

  private static Rule rule(String id, FailurePolicy policy) {
    return Rule.named(id).onStoreFailure(policy).limit(TEN_PER_HOUR).build();
  }

  private static Plan plan(long cost, Rule... rules) {
    return plan(cost, 0, rules);
  }

  private static Plan plan(long cost, long holder, Rule... rules) {
    return RuleSet.of(rules).plan(Request.of(Subject.of("x"), cost), START, holder);
  }

  /** Probes on demand. */
  private static final class ManualProbes implements ProbeSchedule {
    private Runnable onSuccess = () -> {};

    @Override
    public void start(LongSupplier deadline, Runnable onSuccess) {
      this.onSuccess = onSuccess;
    }

    void succeed() {
      onSuccess.run();
    }

    @Override
    public void end() {}

    @Override
    public long dueAt() {
      return 0;
    }
  }

  /** A memory store that executes requests and may reply after the deadline. */
  private final class LateStore extends ForwardingStore {
    private final MemoryStore direct;
    private final List<CompletableFuture<LateReply>> pending = new ArrayList<>();
    private final List<Plan> plans = new ArrayList<>();
    private final List<PlanResult> results = new ArrayList<>();
    private final List<Charge> reported = new ArrayList<>();
    private boolean late;
    private int givenBack;
    private StoreException failure;

    LateStore() {
      this(MemoryStore.create(clock::get, 1_000));
    }

    private LateStore(MemoryStore direct) {
      super(direct);
      this.direct = direct;
    }

    @Override
    public PlanResult decide(Plan plan) {
      if (failure != null) throw failure;
      var result = direct.decide(plan);
      if (!late) return result;
      var reply = new CompletableFuture<LateReply>();
      plans.add(plan);
      results.add(result);
      pending.add(reply);
      throw new StoreException(Kind.TIMEOUT, "no reply in time", null).withLateReply(reply);
    }

    /** Delivers all late replies, in the order of the requests. */
    void deliver() {
      for (int i = 0; i < pending.size(); i++) {
        pending.get(i).complete(reply(plans.get(i), results.get(i)));
      }
      clear();
    }

    void loseReplies() {
      pending.forEach(
          one -> one.completeExceptionally(new StoreException(Kind.CONNECTION, "closed", null)));
      clear();
    }

    private void clear() {
      pending.clear();
      plans.clear();
      results.clear();
    }

    private LateReply reply(Plan plan, PlanResult result) {
      var charged = plan.charged(result.outcomes());
      return new LateReply() {
        @Override
        public List<Charge> charges() {
          return plan.charges();
        }

        @Override
        public List<Outcome> outcomes() {
          return result.outcomes();
        }

        @Override
        public boolean isCharged(int index) {
          return charged[index];
        }

        @Override
        public void giveBack(int index) {
          givenBack++;
          var charge = plan.charges().get(index);
          if (!direct.release(charge)) restore(charge);
        }
      };
    }

    /** The memory store has no operation for it. */
    private void restore(Charge charge) {
      long left = charge.limit().capacity() - charged(charge);
      direct.reset(charge.counter(), charge.key());
      long charged = charge.limit().capacity() - left - charge.cost();
      if (charged > 0) report(charge.withCost(charged));
    }

    private void report(Charge charge) {
      direct.reservations().orElseThrow().charge(List.of(charge)).toCompletableFuture().join();
    }

    CompletionStage<?> charge(Charge charge) {
      reported.add(charge);
      report(charge);
      return CompletableFuture.completedStage(null);
    }

    private long charged(Charge charge) {
      return charge.limit().capacity() - direct.peekAtZeroCost(charge).remaining();
    }

    long charged(Plan plan) {
      return charged(plan.charges().getFirst());
    }
  }
}
