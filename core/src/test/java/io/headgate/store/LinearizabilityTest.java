package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever threads do to the store at the same time, it answers as a map would to which they came
 * one after the other. Lincheck lets two threads take turns in thousands of ways at every step that
 * they take in each other's sight.
 *
 * <p>A sweep does nothing to the map: nobody must be able to tell that it happened.
 */
class LinearizabilityTest {
  private static final long LONG_AGO = 1_800_000_000_000_000L;
  private static final long NOW = LONG_AGO + 10_000_000;

  private static final Plan X = plan("x");
  private static final Plan Y = plan("y");
  private static final Plan X_AND_Y = plan("x", "y");
  private static final Plan Z_AND_X = plan("z", "x");

  /** x and y each in one word, z in an object; all are fresh again long before now. */
  private static Plan plan(String... attributes) {
    var two = new TokenBucket(Rate.perSecond(2));
    var rules =
        RuleSet.of(
            Rule.named("z").match("z", "*").limit(RollingWindow.of(Rate.perSecond(2))).build(),
            Rule.named("x").match("x", "*").limit(two).build(),
            Rule.named("y").match("y", "*").limit(two).build());
    var subject = new HashMap<String, String>();
    for (var attribute : attributes) subject.put(attribute, "k");
    return rules.plan(Request.of(Subject.of(subject)), 0, 0);
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES) // half a minute, where nothing else runs
  void theStoreIsAsAtomicAsAMap() {
    new ModelCheckingOptions()
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(2)
        .actorsAfter(2)
        .iterations(8)
        .invocationsPerIteration(200)
        .addGuarantee(pure("io.headgate.limit."))
        .addGuarantee(pure("io.headgate.rule."))
        .addGuarantee(pure("java.util.ArrayList"))
        .addGuarantee(pure("java.util.Arrays"))
        .addGuarantee(pure("java.util.Comparator"))
        .sequentialSpecification(AMap.class)
        .check(TheStore.class);
  }

  /** What touches nothing that threads share needs no turns taken in it. */
  private static org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee pure(String name) {
    return ManagedStrategyGuaranteeKt.forClasses(type -> type.startsWith(name))
        .allMethods()
        .ignore();
  }

  /** The store, with some cells in it that have been fresh for long and wait to be swept. */
  public static final class TheStore {
    private final CellTable table = new CellTable(1_000);
    private final MemoryStore store = new MemoryStore(table, () -> NOW, () -> {});

    public TheStore() {
      new MemoryStore(table, () -> LONG_AGO, () -> {}).decide(X_AND_Y);
    }

    @Operation
    public List<Outcome> takeX() {
      return store.decide(X).outcomes();
    }

    @Operation
    public List<Outcome> takeY() {
      return store.decide(Y).outcomes();
    }

    @Operation
    public List<Outcome> takeXAndY() {
      return store.decide(X_AND_Y).outcomes();
    }

    @Operation
    public List<Outcome> takeZAndX() {
      return store.decide(Z_AND_X).outcomes();
    }

    @Operation
    public List<Outcome> peekXAndY() {
      return store.peek(X_AND_Y).outcomes();
    }

    @Operation
    public List<Outcome> peekZAndX() {
      return store.peek(Z_AND_X).outcomes();
    }

    @Operation
    public void resetX() {
      for (var charge : X.charges()) store.reset(charge.counter(), charge.key());
    }

    @Operation
    public void sweep() {
      table.sweep(NOW, 0, 1);
    }
  }

  /** The same, one after the other. */
  public static final class AMap {
    private final Map<String, State> states = new HashMap<>();

    private List<Outcome> run(Plan plan, boolean keep) {
      var before = new ArrayList<State>();
      for (var charge : plan.charges()) {
        before.add(states.getOrDefault(charge.counter().name(), State.FRESH));
      }
      var steps = plan.step(before, NOW);
      var outcomes = new ArrayList<Outcome>();
      for (int i = 0; i < steps.size(); i++) {
        if (keep) states.put(plan.charges().get(i).counter().name(), steps.get(i).state());
        outcomes.add(steps.get(i).outcome());
      }
      return outcomes;
    }

    public List<Outcome> takeX() {
      return run(X, true);
    }

    public List<Outcome> takeY() {
      return run(Y, true);
    }

    public List<Outcome> takeXAndY() {
      return run(X_AND_Y, true);
    }

    public List<Outcome> takeZAndX() {
      return run(Z_AND_X, true);
    }

    public List<Outcome> peekXAndY() {
      return run(X_AND_Y, false);
    }

    public List<Outcome> peekZAndX() {
      return run(Z_AND_X, false);
    }

    public void resetX() {
      states.remove("x");
    }

    public void sweep() {}
  }
}
