package io.headgate.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kind of run: generates scripts from seeds, and the checks that must hold in each. */
interface Scenario {
  /**
   * The result of a run.
   *
   * @param failure the first violation, or null
   * @param history a line per step; empty unless traced
   */
  record Result(@Nullable String failure, long steps, List<String> history) {}

  String name();

  /** Returns the script of a seed, always the same. */
  RunScript script(long seed);

  /** Returns new checks for a run of the script. */
  List<Check> checks(RunScript script);

  /** Creates a server of a run. */
  default Shard server(World world, int number, long skew) {
    return new Shard(world, number, skew);
  }

  /** Runs a script. */
  default Result run(RunScript script, boolean tracing) {
    var world = new World(script, checks(script), tracing, this::server);
    var failure = world.run();
    return new Result(failure, world.steps(), world.history());
  }
}
