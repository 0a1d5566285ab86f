package io.headgate.server.rules;

import io.headgate.rule.RuleSet;

class InMemoryRuleRepositoryTest extends RuleRepositoryContract {
  @Override
  protected RuleRepository open(RuleSet rules, ChangeInfo changeInfo) {
    return new InMemoryRuleRepository(CLOCK, rules, changeInfo);
  }
}
