package io.headgate.server.anomaly;

import io.headgate.server.callers.BusyCaller;
import io.headgate.server.counts.CheckCounts;
import java.util.List;
import java.util.Map;

/**
 * The input of the detector for one second.
 *
 * @param second the second, counted from the epoch
 * @param all counts of all checks
 * @param byRule counts of each rule
 * @param busiest the callers with the highest current rate, busiest first
 */
public record DetectorInput(
    long second, CheckCounts all, Map<String, CheckCounts> byRule, List<BusyCaller> busiest) {}
