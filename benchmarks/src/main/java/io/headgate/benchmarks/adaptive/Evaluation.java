package io.headgate.benchmarks.adaptive;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The runs of all contenders on one plant.
 *
 * @param unloaded the 99th percentile of the latency in seconds at a fifth of the capacity
 * @param runs one run per contender
 */
record Evaluation(Plant plant, double unloaded, Map<Contender, RunResult> runs) {
  static final long SEED = 20_261_117;

  static Evaluation of(Plant plant, List<Contender> contenders, long seed) {
    double unloaded = Simulation.run(plant.unloaded(), Contender.NONE.policy(plant), seed).p99();
    var runs = new EnumMap<Contender, RunResult>(Contender.class);
    for (var contender : contenders) {
      runs.put(contender, Simulation.run(plant, contender.policy(plant), seed));
    }
    return new Evaluation(plant, unloaded, runs);
  }

  /** Evaluates the contenders on each plant. */
  static List<Evaluation> all(List<Plant> plants, List<Contender> contenders) {
    return plants.stream().map(plant -> of(plant, contenders, SEED)).toList();
  }

  boolean hasPriorities() {
    return plant.hasPriorities();
  }

  /** Returns the highest p99 that meets the aim: twice the unloaded one and one service time. */
  double p99Aim() {
    return 2 * unloaded + plant.service().mean();
  }

  RunResult of(Contender contender) {
    var result = runs.get(contender);
    if (result == null) throw new IllegalArgumentException(contender + " was not run");
    return result;
  }
}
