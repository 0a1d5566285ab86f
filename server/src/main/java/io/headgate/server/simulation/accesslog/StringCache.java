package io.headgate.server.simulation.accesslog;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Makes texts of bytes. Remembers some: a log says the same again and again. */
final class StringCache {
  private static final int PLACES = 1 << 15;
  private static final int LONGEST = 128;

  private final byte[][] bytes = new byte[PLACES][];
  private final @Nullable String[] texts = new String[PLACES];

  /** What is not UTF-8 becomes U+FFFD. */
  String of(byte[] line, int from, int to) {
    if (to - from > LONGEST) return new String(line, from, to - from, StandardCharsets.UTF_8);
    int hash = 0;
    for (int i = from; i < to; i++) hash = 31 * hash + line[i];
    hash *= 0x9E3779B9;
    int place = hash >>> 17;
    String known = texts[place];
    if (known != null && Arrays.equals(bytes[place], 0, bytes[place].length, line, from, to)) {
      return known;
    }
    String text = new String(line, from, to - from, StandardCharsets.UTF_8);
    bytes[place] = Arrays.copyOfRange(line, from, to);
    texts[place] = text;
    return text;
  }
}
