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
 * What a change of the rules comes to.
 *
 * @param lines all rules afterwards
 * @param written those of which there is a new version: added, changed or moved
 * @param ended the rules of which a version ends
 */
record RevisionDelta(
    List<StoredRule> lines,
    List<StoredRule> written,
    List<String> ended,
    int added,
    int changed,
    int removed) {

  /** That the rules can stand together is found when they are compiled. */
  static RevisionDelta of(List<StoredRule> before, List<Rule> after) {
    var was = new HashMap<String, StoredRule>(before.size() * 2);
    for (var line : before) was.put(line.id(), line);
    var lines = placed(after, was);
    var written = new ArrayList<StoredRule>();
    var ended = new ArrayList<String>();
    int added = 0;
    int changed = 0;
    for (var line : lines) {
      var old = was.get(line.id());
      if (line.equals(old)) continue;
      written.add(line);
      if (old == null) {
        added++;
        continue;
      }
      ended.add(line.id());
      if (!old.body().equals(line.body())) changed++;
    }
    var kept = new HashSet<String>();
    for (var line : lines) kept.add(line.id());
    int removed = 0;
    for (var line : before) {
      if (kept.contains(line.id())) continue;
      ended.add(line.id());
      removed++;
    }
    return new RevisionDelta(lines, written, ended, added, changed, removed);
  }

  boolean isEmpty() {
    return written.isEmpty() && ended.isEmpty();
  }

  private static List<StoredRule> placed(List<Rule> rules, Map<String, StoredRule> was) {
    var old = new long[rules.size()];
    for (int i = 0; i < old.length; i++) {
      var line = was.get(rules.get(i).id());
      old[i] = line == null ? SortKeys.NONE : line.place();
    }
    var places = SortKeys.assign(old);
    var lines = new ArrayList<StoredRule>(places.length);
    for (int i = 0; i < places.length; i++) {
      lines.add(line(places[i], rules.get(i), was.get(rules.get(i).id())));
    }
    return lines;
  }

  /** The rule as others will read it, so that all instances have the same. */
  private static StoredRule line(long place, Rule rule, @Nullable StoredRule old) {
    if (old != null && old.rule().equals(rule))
      return new StoredRule(place, old.body(), old.rule());
    String body = RuleFile.json(rule);
    if (old != null && old.body().equals(body)) return new StoredRule(place, body, old.rule());
    return new StoredRule(place, body, RuleFile.readRule(body));
  }
}
