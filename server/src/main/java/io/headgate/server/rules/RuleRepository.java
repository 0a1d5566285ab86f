package io.headgate.server.rules;

import io.headgate.rule.Rule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The rules of a cluster: the snapshot in force, every earlier revision, and the author of each.
 *
 * <p>{@link #inForce} and {@link #condition} never block. All other methods may access a database,
 * so they must not be called on event loops, and may throw a {@link RuleRepositoryException}.
 * Implementations are thread-safe.
 */
public interface RuleRepository extends AutoCloseable {

  /** Returns the snapshot this instance enforces. */
  RuleSnapshot inForce();

  /** Returns the current state of the storage behind this repository. */
  Condition condition();

  /**
   * Passes the snapshot in force, and then each later one, to a listener. The first call happens
   * before this method returns.
   */
  void follow(Consumer<RuleSnapshot> listener);

  /** Returns the latest stored snapshot, which this instance may not have loaded yet. */
  RuleSnapshot latest();

  /**
   * Returns the rules as of revision {@code number}.
   *
   * @throws RuleRepositoryException.NoSuchRevision if there is no such revision
   */
  RuleSnapshot at(long number);

  /**
   * Returns revisions with numbers below {@code before}, newest first.
   *
   * @param limit maximum number of revisions to return
   */
  List<Revision> history(long before, int limit);

  /**
   * Returns the revisions with numbers below {@code before} that added, changed or removed a rule,
   * newest first. A change of its position alone is none.
   *
   * @param limit maximum number of revisions to return
   */
  List<RuleRevision> history(String rule, long before, int limit);

  /** Returns the last change of each rule of the latest snapshot, by id. */
  Map<String, RuleModified> lastChanges();

  /**
   * Applies {@code edit} to the latest rules and stores the result as a new revision. If the edit
   * changes nothing, no revision is created and the latest snapshot is returned. The result is in
   * force on this instance when the method returns.
   *
   * @param expected the revisions the edit may be applied to; if the latest one is not among them,
   *     the change is refused with {@link RuleRepositoryException.Stale}
   * @throws IllegalArgumentException if the edited rules are not a valid rule set
   */
  RuleSnapshot change(
      ExpectedRevision expected, ChangeInfo changeInfo, UnaryOperator<List<Rule>> edit);

  /**
   * Stores the rules of an earlier revision as a new revision.
   *
   * @param expected as for {@link #change}
   */
  RuleSnapshot restore(long number, ExpectedRevision expected, ChangeInfo changeInfo);

  @Override
  void close();

  /**
   * State of the storage behind a repository.
   *
   * @param source where the rules are stored, as text for display
   * @param readOnly why this repository cannot change rules, if it cannot
   * @param problem the current problem, if there is one; the rules in force stay in force
   * @param ignoredFile why the rule file of this instance is not used and how to use it; empty if
   *     it is used or there is none
   * @param shared whether other instances can have the same rules from the storage
   */
  record Condition(
      String source,
      Optional<String> readOnly,
      Optional<String> problem,
      Optional<String> ignoredFile,
      boolean shared) {

    /**
     * Creates the state of a repository of this instance alone, without a rule file that could be
     * ignored.
     */
    public Condition(String source, Optional<String> readOnly, Optional<String> problem) {
      this(source, readOnly, problem, Optional.empty(), false);
    }
  }
}
