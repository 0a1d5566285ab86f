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
 * An edition with all that is needed to make the next one of it.
 *
 * @param book tells one database from another, whose revisions have the same numbers
 * @param tag tells it from other revisions of its number, which a database that was set back has
 */
record StoredSnapshot(String book, String tag, RuleSnapshot edition, List<StoredRule> lines) {
  static StoredSnapshot of(String book, String tag, Revision revision, List<StoredRule> lines) {
    var rules = RuleSet.of(lines.stream().map(StoredRule::rule).toList());
    return new StoredSnapshot(book, tag, new RuleSnapshot(revision, rules), List.copyOf(lines));
  }

  long number() {
    return edition.number();
  }

  List<Rule> rules() {
    return edition.rules().rules();
  }

  /** Rules by their texts. */
  Map<String, Rule> known() {
    var known = new HashMap<String, Rule>(lines.size() * 2);
    for (var line : lines) known.put(line.body(), line.rule());
    return known;
  }

  Head head() {
    return new Head(book, number(), tag);
  }

  /** Whether it is what the database has now. */
  boolean isAt(Head head) {
    return book.equals(head.book()) && number() == head.revision() && tag.equals(head.tag());
  }

  /** Whether the database can't have come from it to where it is: it went back in between. */
  boolean isPast(Head head) {
    if (!book.equals(head.book()) || number() < head.revision()) return false;
    return !isAt(head);
  }

  /** Whether it takes the place of the other: newer, or of another book altogether. */
  boolean replaces(StoredSnapshot other) {
    return !book.equals(other.book) || number() > other.number();
  }
}
