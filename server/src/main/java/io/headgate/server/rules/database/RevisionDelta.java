package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows a change of the rules writes.
 *
 * @param rules all rules after the change
 * @param written rules with a new version: added, changed or moved
 * @param ended ids of the rules whose current version ends
 * @param added number of rules added
 * @param changed number of rules with a new body
 * @param removed number of rules removed
 */
record RevisionDelta(
    List<StoredRule> rules,
    List<StoredRule> written,
    List<String> ended,
    int added,
    int changed,
    int removed) {

  /**
   * Computes the delta between the stored rules and new ones. Does not check that the rules form a
   * valid rule set; compiling them does.
   */
  static RevisionDelta of(List<StoredRule> before, List<Rule> after) {
    var previous = new HashMap<String, StoredRule>(before.size() * 2);
    for (var stored : before) previous.put(stored.id(), stored);
    var rules = assignSortKeys(after, previous);
    var written = new ArrayList<StoredRule>();
    var ended = new ArrayList<String>();
    int added = 0;
    int changed = 0;
    for (var stored : rules) {
      var old = previous.get(stored.id());
      if (stored.equals(old)) continue;
      written.add(stored);
      if (old == null) {
        added++;
        continue;
      }
      ended.add(stored.id());
      if (!old.body().equals(stored.body())) changed++;
    }
    var kept = new HashSet<String>();
    for (var stored : rules) kept.add(stored.id());
    int removed = 0;
    for (var stored : before) {
      if (kept.contains(stored.id())) continue;
      ended.add(stored.id());
      removed++;
    }
    return new RevisionDelta(rules, written, ended, added, changed, removed);
  }

  boolean isEmpty() {
    return written.isEmpty() && ended.isEmpty();
  }

  private static List<StoredRule> assignSortKeys(
      List<Rule> rules, Map<String, StoredRule> previous) {
    var old = new long[rules.size()];
    for (int i = 0; i < old.length; i++) {
      var stored = previous.get(rules.get(i).id());
      old[i] = stored == null ? SortKeys.NONE : stored.sortKey();
    }
    var sortKeys = SortKeys.assign(old);
    var assigned = new ArrayList<StoredRule>(sortKeys.length);
    for (int i = 0; i < sortKeys.length; i++) {
      assigned.add(stored(sortKeys[i], rules.get(i), previous.get(rules.get(i).id())));
    }
    return assigned;
  }

  /** Returns the rule as other instances will read it, so that all instances have the same. */
  private static StoredRule stored(long sortKey, Rule rule, @Nullable StoredRule old) {
    if (old != null && old.rule().equals(rule))
      return new StoredRule(sortKey, old.body(), old.rule());
    String body = RuleFile.json(rule);
    if (old != null && old.body().equals(body)) return new StoredRule(sortKey, body, old.rule());
    return new StoredRule(sortKey, body, RuleFile.readStoredRule(body));
  }
}
