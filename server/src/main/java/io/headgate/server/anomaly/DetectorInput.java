package io.headgate.server.anomaly;

import io.headgate.server.callers.BusyCaller;
import io.headgate.server.counts.CheckCounts;
import java.util.List;
import java.util.Map;

/**
 * What a detector sees of one second.
 *
 * @param second since 1970
 * @param busiest the callers that ask most now, the busiest first
 */
public record DetectorInput(
    long second, CheckCounts all, Map<String, CheckCounts> byRule, List<BusyCaller> busiest) {}
