package io.headgate.redis.internal.connection;

import io.headgate.redis.KeyLayout;
import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The keys that counters share in the layout {@link KeyLayout#COMPACT}: the part of their names up
 * to the first bar, with the bar. The counters {@code headgate:{user:42}contract|calls} and {@code
 * headgate:{user:42}contract|bytes} share {@code headgate:{user:42}contract|}.
 */
final class SharedKeys {
  private static final byte BAR = '|';

  /**
   * Returns the shared key of a counter; null for a key that shares none: of a rule with one limit,
   * of a reservation, or of returns.
   */
  static byte @Nullable [] of(byte[] key) {
    int bar = 0;
    while (bar < key.length && key[bar] != BAR) bar++;
    if (bar == 0 || bar + 1 >= key.length || key[bar + 1] == BAR || key[bar - 1] == '}') {
      return null;
    }
    return Arrays.copyOf(key, bar + 1);
  }

  /**
   * Returns the keys of a batch followed by their shared keys, each once. A script must declare all
   * keys that it accesses: while a cluster moves a slot from one node to another, a node rejects a
   * call some of whose keys it does not have.
   */
  static byte[][] with(byte[][] keys) {
    var shared = new TreeSet<byte[]>(Arrays::compare);
    for (var key : keys) {
      var name = of(key);
      if (name != null) shared.add(name);
    }
    if (shared.isEmpty()) return keys;
    var all = Arrays.copyOf(keys, keys.length + shared.size());
    int next = keys.length;
    for (var name : shared) all[next++] = name;
    return all;
  }

  private SharedKeys() {}
}
