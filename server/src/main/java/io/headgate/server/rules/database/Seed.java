package io.headgate.server.rules.database;

import io.headgate.rule.RuleSet;
import io.headgate.server.rules.ChangeInfo;

/** The first revision of an empty database. */
public record Seed(RuleSet rules, ChangeInfo changeInfo) {}
