package io.headgate.server.rules;

import io.headgate.rule.RuleSet;

class RuleBookInMemoryTest extends RuleBookContract {
  @Override
  protected RuleBook open(RuleSet rules, Signature signature) {
    return new RuleBookInMemory(CLOCK, rules, signature);
  }
}
