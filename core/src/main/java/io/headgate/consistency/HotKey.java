package io.headgate.consistency;

/**
 * A counter that is asked about often.
 *
 * @param key of the counter within its rule
 * @param perSecond how often this instance asks, roughly
 * @param leased whether it is spent from a slice here at this time
 */
public record HotKey(String rule, String key, double perSecond, boolean leased) {}
