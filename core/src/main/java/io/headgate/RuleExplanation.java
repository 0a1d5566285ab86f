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
 */
public record RuleExplanation(
    MatchExplanation explanation, List<LimitReport> limits, Optional<Shedding> shedding) {
  /** Copies the list. */
  public RuleExplanation {
    limits = List.copyOf(limits);
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
   * How a rule that sheds load treats the requests of a subject.
   *
   * @param level the level of the backend and the signal that caused it
   * @param priority the priority of the requests; empty if the rule has no priorities
   * @param droppedFor how long requests of the subject are dropped; zero if they pass
   */
  public record Shedding(BackendLevel level, String priority, Duration droppedFor) {}
}
