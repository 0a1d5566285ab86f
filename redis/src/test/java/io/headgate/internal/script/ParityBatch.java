package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Plan;
import io.headgate.store.Ticker;
import io.headgate.testkit.ReferenceStore;
import java.util.ArrayList;
import java.util.List;

/** A batch of plans that is evaluated in Lua and in Java. */
final class ParityBatch {
  static final CounterKeys KEYS = new CounterKeys("p:");

  private final Batch batch = new Batch(KEYS, LimitFormat.NUMBERS);
  private final List<ScriptCommand.PlanCommand> commands = new ArrayList<>();

  /**
   * Adds a plan.
   *
   * @param commit whether it is charged if it passes
   */
  void add(Plan plan, boolean commit) {
    var command = new ScriptCommand.PlanCommand(plan, commit, back -> {});
    command.writeTo(batch);
    commands.add(command);
  }

  /**
   * Evaluates the batch, and compares every field of the results.
   *
   * @param step is named if they differ
   */
  void compare(TestServer redis, Ticker clock, ReferenceStore reference, int step) {
    var reply = new ReplyReader(redis.decide(batch, clock.micros()));
    for (var command : commands) {
      var expected = command.commit ? reference.decide(command.plan) : reference.peek(command.plan);
      assertThat(command.read(reply).outcomes())
          .as("step %d, %s", step, command.plan.charges())
          .isEqualTo(expected.outcomes());
    }
  }
}
