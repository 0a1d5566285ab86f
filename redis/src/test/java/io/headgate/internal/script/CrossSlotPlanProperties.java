package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Counter;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.PlanResult;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Plans that span hash slots, under random interleavings: a seeded random generator chooses the
 * order of all commands, which may be lost or answered too late.
 */
class CrossSlotPlanProperties {
  private static final long NOW = 1_700_000_000_000_000L;
  private static final int SEEDS = 1_000;
  private static final CommandDeadline NO_DEADLINE =
      new CommandDeadline("Redis", Duration.ofDays(1), 0, System::nanoTime);

  @Test
  void onlyAdmittedPlansAreChargedUnderAnyInterleaving() {
    for (int seed = 0; seed < SEEDS; seed++) new Interleaving(seed, 0).check();
  }

  @Test
  void failedAndAbandonedPlansLeaveNoCharge() {
    for (int seed = 0; seed < SEEDS; seed++) new Interleaving(seed, 12).check();
  }

  /** Without concurrent plans the result equals that of the atomic function. */
  @Test
  void planWithoutConcurrencyIsDecidedAsInOneStep() {
    for (int seed = 0; seed < SEEDS; seed++) {
      var random = new Random(seed);
      var rules = rules(random);
      var store = new ManualStore();
      for (int i = 0; i < 12; i++) {
        var plan = plan(rules, random, i);
        var states = plan.charges().stream().map(store::state).toList();
        var steps = plan.step(states, NOW);
        var run = start(store, plan);
        while (!store.waiting.isEmpty()) store.execute(store.waiting.removeFirst());
        assertThat(run.join().outcomes())
            .as("seed %d, plan %d", seed, i)
            .isEqualTo(steps.stream().map(step -> step.outcome()).toList());
        var kept =
            new HashMap<
                ManualStore.CounterKey, State>(); // the last charge of a counter keeps its state
        for (int j = 0; j < steps.size(); j++) {
          kept.put(ManualStore.CounterKey.of(plan.charges().get(j)), steps.get(j).state());
        }
        for (var charge : plan.charges()) {
          assertThat(store.state(charge))
              .as("seed %d, plan %d, %s", seed, i, charge)
              .isEqualTo(kept.get(ManualStore.CounterKey.of(charge)));
        }
      }
    }
  }

  private static CompletableFuture<PlanResult> start(ManualStore store, Plan plan) {
    return new CrossSlotPlan(
            store, charge -> charge.key().hashCode(), NO_DEADLINE, call -> {}, charge -> {})
        .run(plan, true)
        .toCompletableFuture();
  }

  /** Several plans in progress at a time. */
  private static final class Interleaving {
    private record Running(Plan plan, CompletableFuture<PlanResult> run, long holder) {}

    private final int seed;
    private final Random random;
    private final int faults; // in a thousand
    private final RuleSet rules;
    private final ManualStore store = new ManualStore();
    private final List<Running> running = new ArrayList<>();

    Interleaving(int seed, int faults) {
      this.seed = seed;
      this.random = new Random(seed);
      this.faults = faults * 5;
      this.rules = rules(random);
    }

    void check() {
      for (int plans = 4 + random.nextInt(12); plans > 0 || !store.waiting.isEmpty(); ) {
        if (plans > 0 && (store.waiting.isEmpty() || random.nextInt(6) == 0)) {
          begin(plans--);
        } else {
          var command = store.waiting.remove(random.nextInt(store.waiting.size()));
          if (!isFault() || command instanceof ScriptCommand.GiveBack) store.execute(command);
          else fault(command);
        }
      }
      for (var one : running) {
        assertThat(one.run).as("seed %d", seed).isDone();
        boolean allowed =
            !one.run.isCompletedExceptionally() && one.plan.allows(one.run.join().outcomes());
        if (allowed) assertCharged(one);
        else assertThat(store.of(one.holder)).as("seed %d: denied", seed).isEmpty();
      }
    }

    private void begin(int number) {
      var plan = plan(rules, random, number);
      running.add(new Running(plan, start(store, plan), number));
    }

    private boolean isFault() {
      return random.nextInt(1_000) < faults;
    }

    private void fault(ScriptCommand<?> command) {
      var late = new StoreException(Kind.TIMEOUT, "late", null);
      switch (random.nextInt(3)) {
        case 0 -> command.completeExceptionally(late); // lost before execution
        case 1 -> { // the wait ends before execution
          command.completeExceptionally(late);
          store.waiting.add(command);
        }
        default -> { // the caller of a plan stops waiting
          running.get(random.nextInt(running.size())).run.completeExceptionally(late);
          store.waiting.add(command);
        }
      }
    }

    /** Asserts that the remaining charges are those that each rule requires. */
    private void assertCharged(Running one) {
      var net = store.of(one.holder);
      for (var part : one.plan.parts()) {
        long whole = 0;
        long weight = 0;
        int made = 0;
        for (int i = 0; i < part.counters().size(); i++) {
          var charge = one.plan.charges().get(part.from() + i);
          boolean isMade = net.containsKey(ManualStore.CounterKey.of(charge));
          made += isMade ? 1 : 0;
          weight += isMade ? charge.counter().weight() : 0;
          whole += charge.counter().weight();
        }
        if (one.plan.charges().getFirst().cost() == 0) continue;
        if (one.plan.isJoint()) continue; // charges of one counter cannot be distinguished
        if (!part.isEnforced() && made == 0) continue;
        var text = "seed %d: %s of %s".formatted(seed, net, part.rule().combine());
        switch (part.rule().combine()) {
          case Combine.All all -> assertThat(made).as(text).isEqualTo(part.counters().size());
          case Combine.Any any -> assertThat(made).as(text).isEqualTo(1);
          case Combine.Weighted(int permille) ->
              assertThat(weight * 1_000).as(text).isGreaterThanOrEqualTo(whole * permille);
          case Combine.Hierarchical hierarchical -> throw new AssertionError("not used here");
          case Combine.Priority priority -> throw new AssertionError("not used here");
        }
      }
    }
  }

  private static RuleSet rules(Random random) {
    var rules = new ArrayList<Rule>();
    for (int i = 1 + random.nextInt(3); i >= 0; i--) {
      var rule = Rule.named("r" + i).match("user", "*");
      if (random.nextInt(3) == 0) rule.mode(Mode.SHADOW);
      int limits = 1 + random.nextInt(3);
      if (limits > 1) {
        rule.combine(
            switch (random.nextInt(3)) {
              case 0 -> new Combine.All();
              case 1 -> new Combine.Any();
              default -> new Combine.Weighted(1 + random.nextInt(1_000));
            });
      }
      for (int j = 0; j < limits; j++) {
        var limit = FixedWindow.of(Rate.of(1 + random.nextInt(6), Duration.ofDays(365)));
        var named = RuleLimit.of("l" + j, limit).withWeight(1 + random.nextInt(3));
        rule.limit(random.nextBoolean() ? named.withPer() : named.withPer("user"));
      }
      rules.add(rule.build());
    }
    return RuleSet.of(rules);
  }

  private static Plan plan(RuleSet rules, Random random, long holder) {
    var plans = new ArrayList<Plan>();
    for (int i = random.nextInt(5) == 0 ? 2 : 1; i > 0; i--) {
      var user = Subject.of(Map.of("user", "u" + random.nextInt(2)));
      plans.add(rules.plan(Request.of(user, 1 + random.nextInt(2)), 0, holder));
    }
    return CombinedPlan.of(plans).whole();
  }

  /** Counters in memory, each command one step. */
  private static final class ManualStore implements CrossSlotPlan.CommandExecutor {
    record CounterKey(Counter counter, String key) {
      static CounterKey of(Charge charge) {
        return new CounterKey(charge.counter(), charge.key());
      }
    }

    private record Charged(long holder, CounterKey counterKey) {}

    final List<ScriptCommand<?>> waiting = new ArrayList<>();
    private final Map<CounterKey, State> states = new HashMap<>();
    private final Map<Charged, Long> net = new HashMap<>();

    @Override
    public <T> CompletionStage<T> submit(ScriptCommand<T> command) {
      waiting.add(command);
      return command;
    }

    State state(Charge charge) {
      var limit = (FixedWindow) charge.limit();
      return states.getOrDefault(CounterKey.of(charge), limit.adopt(State.FRESH, NOW));
    }

    Map<CounterKey, Long> of(long holder) {
      var own = new HashMap<CounterKey, Long>();
      net.forEach((charged, cost) -> {
        if (charged.holder == holder && cost != 0) own.put(charged.counterKey, cost);
      });
      return own;
    }

    void execute(ScriptCommand<?> command) {
      switch (command) {
        case ScriptCommand.ChargesCommand charges -> {
          var outcomes = decide(charges);
          var freshAt = outcomes.stream().map(outcome -> NOW + outcome.resetAfter()).toList();
          var reply = new ScriptCommand.Outcomes(outcomes, freshAt, NOW);
          if (!charges.complete(reply)) charges.onLateReply(reply);
        }
        case ScriptCommand.GiveBack back -> {
          add(back.receipt.charge(), -back.receipt.charge().cost());
          back.complete(true);
        }
        default -> throw new AssertionError("unexpected command: " + command);
      }
    }

    private List<Outcome> decide(ScriptCommand.ChargesCommand command) {
      var spent = new HashMap<CounterKey, Long>();
      List<Outcome> outcomes = new ArrayList<>();
      for (var charge : command.charges) {
        long before = spent.getOrDefault(CounterKey.of(charge), 0L);
        var outcome = charge.limit().step(state(charge), NOW, before + charge.cost()).outcome();
        if (outcome instanceof Passed) spent.merge(CounterKey.of(charge), charge.cost(), Long::sum);
        outcomes.add(outcome);
      }
      if (!outcomes.stream().allMatch(Passed.class::isInstance)) {
        for (int i = 0; i < outcomes.size(); i++) {
          if (!(outcomes.get(i) instanceof Passed)) continue;
          var charge = command.charges.get(i);
          outcomes.set(i, charge.limit().step(state(charge), NOW, 0).outcome());
        }
      } else if (command.commit) {
        for (var charge : command.charges) add(charge, charge.cost());
      }
      return outcomes;
    }

    private void add(Charge charge, long cost) {
      var limit = (FixedWindow) charge.limit();
      long held = limit.permits() - limit.step(state(charge), NOW, 0).outcome().remaining();
      long next = held + cost;
      assertThat(next).as("%s", charge).isBetween(0L, limit.permits());
      var fresh = limit.adopt(State.FRESH, NOW);
      states.put(CounterKey.of(charge), limit.charged(fresh, NOW, next));
      net.merge(new Charged(charge.holder(), CounterKey.of(charge)), cost, Long::sum);
    }
  }
}
