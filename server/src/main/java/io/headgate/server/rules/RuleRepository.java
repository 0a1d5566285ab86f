package io.headgate.server.rules;

import io.headgate.rule.Rule;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The rules of a fleet: those in force, every state they have been in, and who changed them.
 *
 * <p>{@link #inForce} and {@link #condition} never wait. All else may ask a database, so it is not
 * for event loops, and may throw a {@link RuleRepositoryException}.
 */
public interface RuleRepository extends AutoCloseable {

  /** What this instance enforces. */
  RuleSnapshot inForce();

  /** How it stands with the place where the rules are kept. */
  Condition condition();

  /** Gives the edition in force, and then each that comes into force, to {@code use}. */
  void follow(Consumer<RuleSnapshot> use);

  /** The newest edition there is, which may not have come into force here yet. */
  RuleSnapshot latest();

  /** The rules as revision {@code number} left them. */
  RuleSnapshot at(long number);

  /** The newest first, from the one before {@code before}. */
  List<Revision> history(long before, int most);

  /**
   * Makes a new revision of what {@code edit} makes of the latest rules. Rules that are the same
   * afterwards make none: the latest edition is returned. It is in force here on return.
   *
   * @param expected the revision that the author has seen; any other is refused as stale
   * @throws IllegalArgumentException if the edited rules can't stand together
   */
  RuleSnapshot change(OptionalLong expected, ChangeInfo signature, UnaryOperator<List<Rule>> edit);

  /** Makes a new revision with the rules of an old one. */
  RuleSnapshot restore(long number, OptionalLong expected, ChangeInfo signature);

  @Override
  void close();

  /**
   * @param source where the rules are kept, for people
   * @param readOnly why nothing can be changed through this book, if so
   * @param problem what is wrong now, if something is; the rules in force stay so
   */
  record Condition(String source, Optional<String> readOnly, Optional<String> problem) {}
}
