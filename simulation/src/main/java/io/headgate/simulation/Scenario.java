package io.headgate.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kind of run: how histories of it are made from seeds, and what must hold in each. */
interface Scenario {
  /** What became of a run. */
  record Result(@Nullable String failure, long steps, List<String> history) {}

  String name();

  Script script(long seed);

  List<Check> checks(Script script);

  default Result run(Script script, boolean tracing) {
    var world = new World(script, checks(script), tracing);
    var failure = world.run();
    return new Result(failure, world.steps(), world.history());
  }
}
