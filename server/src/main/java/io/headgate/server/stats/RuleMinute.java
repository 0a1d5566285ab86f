package io.headgate.server.stats;

import io.headgate.server.counts.CheckCounts;
import java.util.OptionalLong;

/**
 * The last minute of one rule on this instance.
 *
 * @param lastDeniedMillis the second in which it last denied, or would have denied in shadow mode
 */
public record RuleMinute(String rule, CheckCounts counts, OptionalLong lastDeniedMillis) {}
