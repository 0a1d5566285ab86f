package io.headgate.store;

/**
 * A counter that is requested often.
 *
 * @param rule the id of the rule
 * @param key the counter's key within its rule
 * @param perSecond the estimated number of requests per second on this instance; for a counter that
 *     is decided from a permit lease, of permits
 * @param leased whether this instance currently decides it from a permit lease
 */
public record HotKey(String rule, String key, double perSecond, boolean leased) {}
