package io.headgate.server.rules;

import java.util.Set;

/**
 * The revisions that a change may be applied to. Guards against lost updates: a change that was
 * made for one revision does not overwrite a later one.
 */
public sealed interface ExpectedRevision {
  /** Accepts every revision. */
  record Any() implements ExpectedRevision {}

  /**
   * Accepts the listed revisions.
   *
   * @param numbers may be empty; then no revision is accepted
   */
  record OneOf(Set<Long> numbers) implements ExpectedRevision {
    public OneOf {
      numbers = Set.copyOf(numbers);
    }
  }

  /** Accepts every revision. */
  static ExpectedRevision any() {
    return new Any();
  }

  /** Accepts one revision. */
  static ExpectedRevision of(long number) {
    return new OneOf(Set.of(number));
  }

  /**
   * Requires that the latest revision is accepted.
   *
   * @throws RuleRepositoryException.Stale if it is not
   */
  default void require(long latest) {
    switch (this) {
      case Any any -> {}
      case OneOf(var numbers) -> {
        if (!numbers.contains(latest)) throw new RuleRepositoryException.Stale(numbers, latest);
      }
    }
  }
}
