package io.headgate.server.stats;

import io.headgate.server.callers.RuleCallerStats;
import io.headgate.server.counts.CheckCounts;
import java.util.OptionalLong;

/**
 * The statistics of one rule on this instance.
 *
 * @param isCounted whether the rule has any counts
 * @param tracked whether the hour and the day are its own counts rather than part of those of the
 *     other rules
 * @param lastHour sum of the buckets of the hour
 * @param lastDay sum of the buckets of the day
 * @param lastDeniedMillis the second in which it last denied, or would have denied in shadow mode
 */
public record RuleActivity(
    boolean isCounted,
    boolean tracked,
    CheckCounts lastMinute,
    CheckCounts lastHour,
    CheckCounts lastDay,
    OptionalLong lastDeniedMillis,
    RuleCallerStats callers) {}
