package io.headgate.server.rules.database;

import io.headgate.rule.RuleSet;
import io.headgate.server.rules.ChangeInfo;

/** What the first revision of an empty database is. */
public record Seed(RuleSet rules, ChangeInfo signature) {}
