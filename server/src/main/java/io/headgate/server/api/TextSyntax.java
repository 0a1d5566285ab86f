package io.headgate.server.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What a text from outside may hold. */
public final class TextSyntax {
  private static final int SHOWN = 40;

  /** What is wrong with a text that is to name somebody; empty if nothing is. */
  public static Optional<String> flaw(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || (c >= 0x7f && c < 0xa0)) {
        return Optional.of(
            "has the control character U+%04X at position %d; remove it or send a hash"
                .formatted((int) c, i));
      }
      if (isLoneSurrogate(text, i)) {
        return Optional.of(
            "has half a surrogate pair (U+%04X) at position %d, which is no character; remove it"
                .formatted((int) c, i));
      }
    }
    return Optional.empty();
  }

  static boolean isLoneSurrogate(String text, int at) {
    char c = text.charAt(at);
    if (!Character.isSurrogate(c)) return false;
    return Character.isHighSurrogate(c)
        ? at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1))
        : at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
  }

  /** The JSON parser forgives overlong forms and encoded surrogates; here nobody does. */
  public static boolean isUtf8(byte[] bytes) {
    if (isAscii(bytes)) return true;
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static boolean isAscii(byte[] bytes) {
    for (byte b : bytes) {
      if (b < 0) return false;
    }
    return true;
  }

  /** As much of it as belongs into a message. */
  public static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }

  private TextSyntax() {}
}
