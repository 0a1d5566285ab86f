package io.headgate.server.rules;

import io.headgate.rule.RuleSet;

class InMemoryRuleRepositoryTest extends RuleRepositoryContract {
  @Override
  protected RuleRepository open(RuleSet rules, ChangeInfo signature) {
    return new InMemoryRuleRepository(CLOCK, rules, signature);
  }
}
