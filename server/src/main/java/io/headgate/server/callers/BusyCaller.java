package io.headgate.server.callers;

/**
 * A caller with a high request rate.
 *
 * @param caller the name of the caller
 * @param perSecond its current request rate
 * @param since the second in which it was first seen
 */
public record BusyCaller(String caller, double perSecond, long since) {}
