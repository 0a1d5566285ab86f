package io.headgate;

import io.headgate.rule.MatchExplanation;
import io.headgate.store.BackendLevel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Explains why a rule does or does not apply to a subject.
 *
 * @param explanation the conditions of the rule and whether the subject meets them
 * @param limits the state of the rule's limits; empty if the rule does not apply. While the store
 *     is unavailable, the state may be {@linkplain LimitReport#isKnown unknown}
 * @param shedding how the rule treats the subject's requests if it sheds load and applies
 * @param held the permits that open reservations hold of its limits; a limit of which none are held
 *     is missing. Empty if the store can't be read or keeps no reservations
 */
public record RuleExplanation(
    MatchExplanation explanation,
    List<LimitReport> limits,
    Optional<Shedding> shedding,
    List<HeldPermits> held) {
  /** Copies the lists. */
  public RuleExplanation {
    limits = List.copyOf(limits);
    held = List.copyOf(held);
  }

  /**
   * Returns the highest cost that the rule would let pass now, given how it combines its limits.
   * Under {@code any}, for instance, it is that of the limit with the most permits left.
   *
   * @return empty if the rule does not apply, has no limits, or the state of one is unknown
   */
  public OptionalLong remaining() {
    if (limits.isEmpty() || !limits.stream().allMatch(LimitReport::isKnown)) {
      return OptionalLong.empty();
    }
    var outcomes = limits.stream().map(LimitReport::outcome).toList();
    var counters = limits.stream().map(LimitReport::counter).toList();
    int tightest = explanation.rule().combine().tightest(outcomes, counters);
    return OptionalLong.of(outcomes.get(tightest).remaining());
  }

  /**
   * Returns the permits that reservations hold of a limit, with those that are used and free.
   *
   * @return empty if none are held, or the state of the limit is unknown
   */
  public Optional<HeldPermits.Usage> usage(LimitReport limit) {
    if (!limit.isKnown()) return Optional.empty();
    return held.stream()
        .filter(one -> one.limit().equals(limit.name()))
        .findFirst()
        .map(one -> new HeldPermits.Usage(one, limit.limit(), limit.remaining()));
  }

  /**
   * How a rule that sheds load treats the requests of a subject.
   *
   * @param level the level of the backend and the signal that caused it
   * @param priority the priority of the requests; empty if the rule has no priorities
   * @param droppedFor how long requests of the subject are dropped; zero if they pass
   */
  public record Shedding(BackendLevel level, String priority, Duration droppedFor) {}
}
