package io.headgate.server.watch;

/**
 * A caller with a high request rate.
 *
 * @param caller the name of the caller
 * @param perSecond its current request rate
 * @param since the second in which it was first seen
 */
record BusyCaller(String caller, double perSecond, long since) {}
