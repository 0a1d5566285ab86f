package io.headgate.server.counts;

/**
 * One second that is over.
 *
 * @param at when it began, in milliseconds
 */
public record SecondStats(long at, CheckCounts counts, Percentiles latency) {}
