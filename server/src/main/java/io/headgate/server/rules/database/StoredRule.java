package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import java.util.Map;

/**
 * A rule where it stands in the book.
 *
 * @param place rules are in the order of these
 * @param body the rule as it is written: the same rule is the same text
 */
record StoredRule(long place, String body, Rule rule) {
  /**
   * @param known rules by their texts; reading one anew costs far more
   */
  static StoredRule read(long place, String body, Map<String, Rule> known) {
    var rule = known.get(body);
    return new StoredRule(place, body, rule == null ? RuleFile.readRule(body) : rule);
  }

  String id() {
    return rule.id();
  }
}
