package io.headgate.redis.internal.connection;

import io.headgate.redis.KeyLayout;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The instances with a recent heartbeat, as {@code instances.lua} counts them. Immutable.
 *
 * @param instances the number of instances
 * @param layouts the number of instances with each layout, without layouts that none has; of the
 *     latest 256 instances if there are more
 */
public record InstanceCounts(int instances, Map<KeyLayout, Integer> layouts) {
  static InstanceCounts of(List<Object> reply) {
    var layouts = new EnumMap<KeyLayout, Integer>(KeyLayout.class);
    put(layouts, KeyLayout.SEPARATE, number(reply.get(1)));
    put(layouts, KeyLayout.COMPACT, number(reply.get(2)));
    return new InstanceCounts(number(reply.getFirst()), Map.copyOf(layouts));
  }

  private static void put(Map<KeyLayout, Integer> layouts, KeyLayout layout, int instances) {
    if (instances > 0) layouts.put(layout, instances);
  }

  private static int number(Object reply) {
    return Math.toIntExact((Long) reply);
  }
}
