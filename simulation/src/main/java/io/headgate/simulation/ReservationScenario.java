package io.headgate.simulation;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.OnExpiry;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Runs reservations of clients that die, repeat and settle late, over messages that are lost,
 * delayed and delivered twice, and instances that crash. Other instances hold permits of the same
 * counters. {@link ReservationModel} is the oracle.
 */
final class ReservationScenario implements Scenario {
  private static final long HOUR = 3_600 * Workload.SECOND;

  private final UnaryOperator<Store> mutation;

  ReservationScenario() {
    this(UnaryOperator.identity());
  }

  /**
   * Creates a scenario.
   *
   * @param mutation changes the store, to show that a defect of it is found
   */
  ReservationScenario(UnaryOperator<Store> mutation) {
    this.mutation = mutation;
  }

  @Override
  public String name() {
    return "reservations";
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 190);
    var work = new Workload(dice);
    long permits = dice.scale(100, 10_000);
    // Windows that do not end during a run have an exact model.
    boolean exact = dice.oneIn(2);
    long window = exact ? HOUR : dice.scale(10, 120) * Workload.SECOND;
    var settings =
        ReservationSettings.DEFAULT
            .withTtl(Duration.ofSeconds(dice.between(2, 60)))
            .withOnExpiry(dice.any(OnExpiry.values()));
    var rules =
        RuleSet.of(
            rule("team", limit(exact, permits, window, work), settings).match("team", "*").build(),
            rule("model", limit(exact, 2 * permits, window, work), settings).build());
    int nodes = (int) dice.between(1, 4);
    long busy = dice.scale(10, 300) * Workload.SECOND;
    int count = (int) dice.scale(10, 120);
    for (int i = 0; i < count; i++) {
      var subject = Map.of("team", "t" + dice.index(3));
      work.events.add(
          new Event.Arrival(
              dice.below(busy),
              dice.index(nodes),
              subject,
              1 + dice.below(Math.max(1, permits / 2)),
              dice.scale(100, 90_000) * Workload.MS));
    }
    if (!exact) addHolders(Dice.of(seed, 193), work, permits, nodes, busy);
    for (int i = dice.index(4); i > 0; i--) {
      work.events.add(
          new Event.Crash(
              dice.below(busy), dice.index(nodes), dice.scale(10, 20_000) * Workload.MS));
    }
    return new RunScript(
        seed,
        nodes,
        1,
        List.of(rules),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(Workload.MS, 200 * Workload.MS),
        0,
        work.events,
        busy + 1_000 * Workload.SECOND);
  }

  /** In a third of the runs, others hold permits of the teams at the same time. */
  private static void addHolders(Dice dice, Workload work, long permits, int nodes, long busy) {
    if (!dice.oneIn(3)) return;
    for (int i = (int) dice.scale(5, 60); i > 0; i--) {
      work.events.add(
          new Event.Arrival(
              dice.below(busy),
              dice.index(nodes),
              Map.of("team", "t" + dice.index(3), ReservationRun.HOLDER, "h" + dice.index(5)),
              1 + dice.below(permits),
              dice.scale(100, 30_000) * Workload.MS));
    }
  }

  private static Limit limit(boolean exact, long permits, long window, Workload work) {
    return exact ? FixedWindow.of(Workload.rate(permits, window)) : work.holdable(permits, window);
  }

  private static Rule.Builder rule(String name, Limit limit, ReservationSettings settings) {
    return Rule.named(name)
        .limit(RuleLimit.of("tokens", limit).withCost("tokens"))
        .reservation(settings);
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of();
  }

  @Override
  public Result run(RunScript script, boolean tracing) {
    return new ReservationRun(script, mutation, tracing).run();
  }
}
