package io.headgate.server.api;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * Escapes every control character numerically, including DEL and the C1 range, which JSON itself
 * allows unescaped but a terminal may execute. Immutable.
 */
final class ControlEscapes extends CharacterEscapes {
  private static final long serialVersionUID = 1;
  private static final int C1_FIRST = 0x80;
  private static final int C1_END = 0xa0;

  private final int[] ascii = standardAsciiEscapesForJSON();
  private final SerializedString[] c1 = new SerializedString[C1_END - C1_FIRST];

  ControlEscapes() {
    for (int c = 0; c < ' '; c++) ascii[c] = ESCAPE_STANDARD;
    ascii[0x7f] = ESCAPE_STANDARD;
    for (int i = 0; i < c1.length; i++) {
      c1[i] = new SerializedString("\\u%04x".formatted(C1_FIRST + i));
    }
  }

  @Override
  public int[] getEscapeCodesForAscii() {
    return ascii;
  }

  /** Returns the escape of a character outside of ASCII; null if it is written as it is. */
  @Override
  public @Nullable SerializableString getEscapeSequence(int c) {
    return c >= C1_FIRST && c < C1_END ? c1[c - C1_FIRST] : null;
  }
}
