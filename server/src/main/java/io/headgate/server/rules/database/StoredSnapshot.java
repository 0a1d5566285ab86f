package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.server.rules.database.RuleDao.Head;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A snapshot with the stored form of its rules, from which the next revision is computed.
 * Immutable.
 *
 * @param repositoryId identifies the database, since revisions of different databases have the same
 *     numbers
 * @param tag identifies the revision among revisions of the same number, which exist after a
 *     database was restored from a backup
 */
record StoredSnapshot(
    String repositoryId, String tag, RuleSnapshot snapshot, List<StoredRule> storedRules) {
  static StoredSnapshot of(
      String repositoryId, String tag, Revision revision, List<StoredRule> storedRules) {
    var rules = RuleSet.of(storedRules.stream().map(StoredRule::rule).toList());
    return new StoredSnapshot(
        repositoryId, tag, new RuleSnapshot(revision, rules), List.copyOf(storedRules));
  }

  long number() {
    return snapshot.number();
  }

  List<Rule> rules() {
    return snapshot.rules().rules();
  }

  /** Returns the rules by their texts. */
  Map<String, Rule> rulesByText() {
    var known = new HashMap<String, Rule>(storedRules.size() * 2);
    for (var line : storedRules) known.put(line.body(), line.rule());
    return known;
  }

  Head head() {
    return new Head(repositoryId, number(), tag);
  }

  /** Returns whether this snapshot is the current one of the database. */
  boolean isAt(Head head) {
    return repositoryId.equals(head.repositoryId())
        && number() == head.revision()
        && tag.equals(head.tag());
  }

  /**
   * Returns whether this snapshot is not part of the database's history, because the database was
   * restored to an earlier state.
   */
  boolean isPast(Head head) {
    if (!repositoryId.equals(head.repositoryId()) || number() < head.revision()) return false;
    return !isAt(head);
  }

  /** Returns whether this snapshot supersedes another: it is newer, or of another repository. */
  boolean replaces(StoredSnapshot other) {
    return !repositoryId.equals(other.repositoryId) || number() > other.number();
  }
}
