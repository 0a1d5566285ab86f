package io.headgate.server.watch;

/**
 * One second that is over.
 *
 * @param at when it began, in milliseconds
 */
public record Second(long at, Counts counts, Percentiles latency) {}
