package io.headgate.server.store;

import io.headgate.redis.KeyLayout;
import java.util.Locale;
import java.util.Map;

/**
 * The number of instances with each layout of keys that share a Redis and a key prefix.
 *
 * @param separate instances with {@link KeyLayout#SEPARATE}
 * @param compact instances with {@link KeyLayout#COMPACT}
 */
public record LayoutCounts(long separate, long compact) {
  /** Creates the counts from those of a Redis store, which has no entry for a count of zero. */
  public static LayoutCounts of(Map<KeyLayout, Integer> layouts) {
    return new LayoutCounts(
        layouts.getOrDefault(KeyLayout.SEPARATE, 0), layouts.getOrDefault(KeyLayout.COMPACT, 0));
  }

  /** Returns the word of a layout in options and in JSON. */
  public static String word(KeyLayout layout) {
    return layout.name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether instances have different layouts, so that they count separately. */
  public boolean isMixed() {
    return separate > 0 && compact > 0;
  }

  /** Returns a text such as {@code 2 separate, 1 compact}. */
  public String text() {
    return "%d separate, %d compact".formatted(separate, compact);
  }
}
