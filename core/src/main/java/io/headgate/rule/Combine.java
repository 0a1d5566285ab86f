package io.headgate.rule;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.List;
import java.util.function.IntPredicate;

/** How the limits of one rule make one answer. What it denies, it does not charge. */
public sealed interface Combine {

  /** Every limit must pass, and each is charged. */
  record All() implements Combine {}

  /** One limit must pass; the first that does is charged: the next ones are its overflow. */
  record Any() implements Combine {}

  /**
   * Limits that pass must have at least this share, in thousandths, of the weight of all; those
   * that pass are charged.
   */
  record Weighted(int permille) implements Combine {
    public Weighted {
      if (permille < 1 || permille > 1000) {
        throw new IllegalArgumentException(
            "threshold must be more than 0 and at most 1 (100%%), got %s"
                .formatted(permille / 1000.0));
      }
    }
  }

  /** As {@link All}, from the narrowest scope to the widest: the first that denies is to blame. */
  record Hierarchical() implements Combine {}

  /** As {@link All}, from the highest priority to the lowest: the first that denies is to blame. */
  record Priority() implements Combine {}

  /** Whether the limits are tried in order, so that the first to refuse is the one to blame. */
  default boolean blamesFirst() {
    return this instanceof Hierarchical || this instanceof Priority;
  }

  /** A time that does not come. */
  long NEVER = Long.MAX_VALUE;

  /** Whether limit {@code index} is charged, given that the rule passes. */
  default boolean charges(int index, List<Outcome> outcomes) {
    boolean passed = outcomes.get(index) instanceof Passed;
    return switch (this) {
      case All all -> passed;
      case Hierarchical hierarchical -> passed;
      case Priority priority -> passed;
      case Weighted weighted -> passed;
      case Any any ->
          passed && outcomes.subList(0, index).stream().noneMatch(Passed.class::isInstance);
    };
  }

  /**
   * When the rule would pass if nobody else came: 0 if it does now, {@link #NEVER} if it can't.
   *
   * <p>What passes now still passes later, so each limit has one moment from which it passes.
   */
  default long retryAfter(List<Outcome> outcomes, List<Counter> counters) {
    return switch (this) {
      case All all -> latest(outcomes);
      case Hierarchical hierarchical -> latest(outcomes);
      case Priority priority -> latest(outcomes);
      case Any any -> {
        long first = NEVER;
        for (var outcome : outcomes) first = Math.min(first, passesAfter(outcome));
        yield first;
      }
      case Weighted(int permille) -> reaches(permille, outcomes, counters);
    };
  }

  private static long latest(List<Outcome> outcomes) {
    long last = 0;
    for (var outcome : outcomes) last = Math.max(last, passesAfter(outcome));
    return last;
  }

  /** The earliest of the limits' moments at which the weight of those that pass is enough. */
  private static long reaches(int permille, List<Outcome> outcomes, List<Counter> counters) {
    long earliest = NEVER;
    for (var candidate : outcomes) {
      long time = passesAfter(candidate);
      if (time < earliest
          && weighsEnough(permille, counters, i -> passesAfter(outcomes.get(i)) <= time)) {
        earliest = time;
      }
    }
    return earliest;
  }

  private static boolean weighsEnough(int permille, List<Counter> counters, IntPredicate passes) {
    long whole = 0;
    long passing = 0;
    for (int i = 0; i < counters.size(); i++) {
      whole += counters.get(i).weight();
      if (passes.test(i)) passing += counters.get(i).weight();
    }
    return passing * 1000 >= whole * permille;
  }

  /** Which limit's {@code remaining} is the rule's: the highest cost that would pass now. */
  default int tightest(List<Outcome> outcomes, List<Counter> counters) {
    int best = 0;
    for (int i = 1; i < outcomes.size(); i++) {
      long remaining = outcomes.get(i).remaining();
      long soFar = outcomes.get(best).remaining();
      if (this instanceof Any ? remaining > soFar : remaining < soFar) best = i;
    }
    return this instanceof Weighted(int permille)
        ? mostThatWeighsEnough(permille, outcomes, counters, best)
        : best;
  }

  /**
   * @param least the limit with least left: what it has left, all have
   */
  private static int mostThatWeighsEnough(
      int permille, List<Outcome> outcomes, List<Counter> counters, int least) {
    int best = least;
    for (int candidate = 0; candidate < outcomes.size(); candidate++) {
      long remaining = outcomes.get(candidate).remaining();
      if (remaining > outcomes.get(best).remaining()
          && weighsEnough(permille, counters, i -> outcomes.get(i).remaining() >= remaining)) {
        best = candidate;
      }
    }
    return best;
  }

  static long passesAfter(Outcome outcome) {
    return switch (outcome) {
      case Passed passed -> 0;
      case Refused refused -> refused.retryAfter();
      case ExceedsCapacity never -> NEVER;
    };
  }
}
