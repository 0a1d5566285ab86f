package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.TestEffort;
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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks with Lincheck that the memory store is linearizable: concurrent operations have the
 * results of some sequential execution on a map. Lincheck explores thousands of interleavings of
 * two threads at every access to shared memory.
 *
 * <p>A sweep has no effect on the map: it must not be observable.
 */
class LinearizabilityTest {
  private static final long LONG_AGO = 1_800_000_000_000_000L;
  private static final long NOW = LONG_AGO + 10_000_000;

  private static final String CHECKED = "the store is linearizable";

  private static final Plan X = plan("x");
  private static final Plan Y = plan("y");
  private static final Plan X_AND_Y = plan("x", "y");
  private static final Plan Z_AND_X = plan("z", "x");

  /** x and y have word cells, z a state cell; all states of {@code LONG_AGO} are fresh again. */
  private static Plan plan(String... attributes) {
    var two = TokenBucket.of(Rate.perSecond(2));
    var rules =
        RuleSet.of(
            Rule.named("z").match("z", "*").limit(RollingWindow.of(Rate.perSecond(2))).build(),
            Rule.named("x").match("x", "*").limit(two).build(),
            Rule.named("y").match("y", "*").limit(two).build());
    var subject = new HashMap<String, String>();
    for (var attribute : attributes) subject.put(attribute, "k");
    return rules.plan(Request.of(Subject.of(subject)), 0, 0);
  }

  /**
   * Runs Lincheck in a separate process without the optimizing compiler. Lincheck itself chooses
   * where threads switch, so that compiled code changes nothing but the time: a third less.
   */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES) // takes a quarter of a minute on an idle machine
  void memoryStoreIsLinearizable(@TempDir Path work) throws Exception {
    var output = work.resolve("output");
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+EnableDynamicAgentLoading",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                LinearizabilityTest.class.getName(),
                Integer.toString(TestEffort.of(4, 8)))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor()).as(() -> read(output)).isZero();
    } finally {
      process.destroyForcibly();
    }
    assertThat(output).content().contains(CHECKED);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Checks the store; throws Lincheck's error if it is not linearizable.
   *
   * @param arguments the number of scenarios
   */
  public static void main(String[] arguments) {
    check(Integer.parseInt(arguments[0]));
    System.out.println(CHECKED);
  }

  private static void check(int iterations) {
    new ModelCheckingOptions()
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(2)
        .actorsAfter(2)
        .iterations(iterations)
        .invocationsPerIteration(200)
        .addGuarantee(pure("io.headgate.limit."))
        .addGuarantee(pure("io.headgate.rule."))
        .addGuarantee(pure("java.util.ArrayList"))
        .addGuarantee(pure("java.util.Arrays"))
        .addGuarantee(pure("java.util.Comparator"))
        .sequentialSpecification(SequentialStore.class)
        .check(ConcurrentStore.class);
  }

  /** Excludes classes without shared state from the exploration. */
  private static org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee pure(String name) {
    return ManagedStrategyGuaranteeKt.forClasses(type -> type.startsWith(name))
        .allMethods()
        .ignore();
  }

  /** The memory store, with some fresh cells that a sweep removes. */
  public static final class ConcurrentStore {
    private final CellTable table = new CellTable(1_000);
    private final MemoryStore store = new MemoryStore(table, () -> NOW, () -> {});

    public ConcurrentStore() {
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

  /** The sequential specification: a map of states. */
  public static final class SequentialStore {
    private final Map<String, State> states = new HashMap<>();

    private List<Outcome> run(Plan plan, boolean stored) {
      var before = new ArrayList<State>();
      for (var charge : plan.charges()) {
        before.add(states.getOrDefault(charge.counter().name(), State.FRESH));
      }
      var steps = plan.step(before, NOW);
      var outcomes = new ArrayList<Outcome>();
      for (int i = 0; i < steps.size(); i++) {
        if (stored) states.put(plan.charges().get(i).counter().name(), steps.get(i).state());
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
