package io.headgate.server.counts;

/**
 * Statistics of one completed second.
 *
 * @param at its start, in milliseconds since the epoch
 */
public record SecondStats(long at, CheckCounts counts, Percentiles latency) {}
