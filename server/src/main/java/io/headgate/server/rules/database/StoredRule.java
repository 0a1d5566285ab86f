package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import java.util.Map;

/**
 * A rule with its position in the repository.
 *
 * @param sortKey defines the order of the rules
 * @param body the canonical JSON text of the rule; equal rules have equal texts
 */
record StoredRule(long sortKey, String body, Rule rule) {
  /**
   * Parses a stored rule.
   *
   * @param rulesByText rules already parsed, by their texts, since parsing a rule again is far more
   *     expensive
   */
  static StoredRule read(long sortKey, String body, Map<String, Rule> rulesByText) {
    var rule = rulesByText.get(body);
    return new StoredRule(sortKey, body, rule == null ? RuleFile.readStoredRule(body) : rule);
  }

  String id() {
    return rule.id();
  }
}
