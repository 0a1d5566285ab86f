package io.headgate.benchmarks.adaptive;

import java.util.List;

/**
 * The runs on one of {@link Plants#heldOut}, one for each seed.
 *
 * @param evaluations one for each seed
 */
record HeldOut(Plant plant, List<Evaluation> evaluations) {
  static final List<Long> SEEDS = List.of(71L, 72L, 73L);

  private static final List<Contender> CONTENDERS =
      List.of(Contender.FIXED_RIGHT, Contender.GRADIENT2, Contender.HEADGATE);

  static HeldOut of(Plant plant, List<Contender> contenders) {
    return new HeldOut(
        plant, SEEDS.stream().map(seed -> Evaluation.of(plant, contenders, seed)).toList());
  }

  /** Evaluates all plants. */
  static List<HeldOut> all() {
    return Plants.heldOut().stream().map(plant -> of(plant, CONTENDERS)).toList();
  }

  double goodput(Contender contender) {
    return evaluations.stream().mapToDouble(run -> run.of(contender).goodput()).average().orElse(0);
  }

  /** Returns the lowest goodput of Headgate. */
  double worst() {
    return evaluations.stream()
        .mapToDouble(run -> run.of(Contender.HEADGATE).goodput())
        .min()
        .orElse(0);
  }

  double p99() {
    return evaluations.stream()
        .mapToDouble(run -> run.of(Contender.HEADGATE).p99())
        .average()
        .orElse(0);
  }

  double p99Aim() {
    return evaluations.stream().mapToDouble(Evaluation::p99Aim).average().orElse(0);
  }
}
