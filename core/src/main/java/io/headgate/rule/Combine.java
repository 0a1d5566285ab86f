package io.headgate.rule;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.List;
import java.util.function.IntPredicate;

/** How the outcomes of a rule's limits are combined. A rule that denies charges none of them. */
public sealed interface Combine {

  /** Every limit must pass, and every limit is charged. */
  record All() implements Combine {}

  /** One limit must pass. The first that passes is charged; the following ones are its overflow. */
  record Any() implements Combine {}

  /**
   * The limits that pass must have at least {@code permille} thousandths of the total weight. Those
   * that pass are charged.
   */
  record Weighted(int permille) implements Combine {
    /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
    public Weighted {
      if (permille < 1 || permille > 1000) {
        throw new IllegalArgumentException(
            "threshold must be more than 0 and at most 1 (100%%), got %s"
                .formatted(permille / 1000.0));
      }
    }
  }

  /** As {@link All}, ordered from the narrowest scope to the widest; reports the first refusal. */
  record Hierarchical() implements Combine {}

  /** As {@link All}, ordered from the highest priority to the lowest; reports the first refusal. */
  record Priority() implements Combine {}

  /** Returns whether the limits are ordered, so that only the first refusal is reported. */
  default boolean reportsFirst() {
    return this instanceof Hierarchical || this instanceof Priority;
  }

  /** The retry time of a rule that can never pass. */
  long NEVER = Long.MAX_VALUE;

  /** Returns whether the limit at {@code index} is charged, given that the rule passes. */
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

  /** Returns whether every limit is charged, given that the rule passes. */
  default boolean chargesAll(List<Outcome> outcomes) {
    if (this instanceof Any) return outcomes.size() == 1;
    for (var outcome : outcomes) {
      if (!(outcome instanceof Passed)) return false;
    }
    return true;
  }

  /**
   * Returns the microseconds after which the rule passes if no other request arrives: 0 if it
   * passes now, {@link #NEVER} if it can't.
   *
   * <p>A limit that passes at some time also passes later, so each limit has a single time from
   * which it passes.
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
      case Weighted(int permille) -> earliestWithEnoughWeight(permille, outcomes, counters);
    };
  }

  private static long latest(List<Outcome> outcomes) {
    if (outcomes.size() == 1) return passesAfter(outcomes.getFirst()); // without an iterator
    long last = 0;
    for (var outcome : outcomes) last = Math.max(last, passesAfter(outcome));
    return last;
  }

  /** Returns the earliest retry time of a limit at which the passing limits have enough weight. */
  private static long earliestWithEnoughWeight(
      int permille, List<Outcome> outcomes, List<Counter> counters) {
    long earliest = NEVER;
    for (var candidate : outcomes) {
      long time = passesAfter(candidate);
      if (time < earliest
          && hasEnoughWeight(permille, counters, i -> passesAfter(outcomes.get(i)) <= time)) {
        earliest = time;
      }
    }
    return earliest;
  }

  private static boolean hasEnoughWeight(
      int permille, List<Counter> counters, IntPredicate passes) {
    long whole = 0;
    long passing = 0;
    for (int i = 0; i < counters.size(); i++) {
      whole += counters.get(i).weight();
      if (passes.test(i)) passing += counters.get(i).weight();
    }
    return passing * 1000 >= whole * permille;
  }

  /**
   * Returns the index of the limit whose {@code remaining} is that of the rule: the highest cost
   * that the rule would let pass now.
   */
  default int tightest(List<Outcome> outcomes, List<Counter> counters) {
    int best = 0;
    for (int i = 1; i < outcomes.size(); i++) {
      long remaining = outcomes.get(i).remaining();
      long soFar = outcomes.get(best).remaining();
      if (this instanceof Any ? remaining > soFar : remaining < soFar) best = i;
    }
    return this instanceof Weighted(int permille)
        ? largestWithEnoughWeight(permille, outcomes, counters, best)
        : best;
  }

  /**
   * Returns the limit with the most left such that limits of enough weight have at least as much.
   *
   * @param least the limit with the least left
   */
  private static int largestWithEnoughWeight(
      int permille, List<Outcome> outcomes, List<Counter> counters, int least) {
    int best = least;
    for (int candidate = 0; candidate < outcomes.size(); candidate++) {
      long remaining = outcomes.get(candidate).remaining();
      if (remaining > outcomes.get(best).remaining()
          && hasEnoughWeight(permille, counters, i -> outcomes.get(i).remaining() >= remaining)) {
        best = candidate;
      }
    }
    return best;
  }

  /** Returns the microseconds after which one limit passes; {@link #NEVER} if it can't. */
  static long passesAfter(Outcome outcome) {
    return switch (outcome) {
      case Passed passed -> 0;
      case Refused refused -> refused.retryAfter();
      case ExceedsCapacity exceeds -> NEVER;
    };
  }
}
