package io.headgate.server.rules;

/** A revision that added, changed or removed one rule, and the difference of that rule. */
public record RuleRevision(Revision revision, RuleDiff.Change change) {}
