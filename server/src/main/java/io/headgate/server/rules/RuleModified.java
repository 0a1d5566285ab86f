package io.headgate.server.rules;

import java.time.Instant;

/**
 * The last change of a rule, or its creation. A change of its position is none.
 *
 * @param revision the number of the revision that made it
 */
public record RuleModified(long revision, Instant at) {}
