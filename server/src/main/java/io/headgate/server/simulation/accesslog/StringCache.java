package io.headgate.server.simulation.accesslog;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Decodes strings from bytes, with a direct-mapped cache, since logs repeat the same values. */
final class StringCache {
  private static final int SLOTS = 1 << 15;
  private static final int MAX_LENGTH = 128;

  private final byte[][] bytes = new byte[SLOTS][];
  private final @Nullable String[] texts = new String[SLOTS];

  /** Returns the string. Invalid UTF-8 is replaced by U+FFFD. */
  String of(byte[] line, int from, int to) {
    if (to - from > MAX_LENGTH) return new String(line, from, to - from, StandardCharsets.UTF_8);
    int hash = 0;
    for (int i = from; i < to; i++) hash = 31 * hash + line[i];
    hash *= 0x9E3779B9;
    int slot = hash >>> 17;
    String cached = texts[slot];
    if (cached != null && Arrays.equals(bytes[slot], 0, bytes[slot].length, line, from, to)) {
      return cached;
    }
    String text = new String(line, from, to - from, StandardCharsets.UTF_8);
    bytes[slot] = Arrays.copyOfRange(line, from, to);
    texts[slot] = text;
    return text;
  }
}
