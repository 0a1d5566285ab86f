package io.headgate.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Validates text from clients. */
public final class TextSyntax {
  private static final int MAX_EXCERPT = 40;

  /**
   * Returns why the text can't be an attribute or its name; empty if it can. Control characters and
   * unpaired surrogates are not allowed.
   */
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
            "has half a surrogate pair (U+%04X) at position %d, which is not a character; remove it"
                .formatted((int) c, i));
      }
    }
    return Optional.empty();
  }

  /** Returns whether the character is a surrogate without its pair. */
  public static boolean isLoneSurrogate(String text, int at) {
    char c = text.charAt(at);
    if (!Character.isSurrogate(c)) return false;
    return Character.isHighSurrogate(c)
        ? at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1))
        : at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
  }

  /**
   * Returns whether the bytes are well-formed UTF-8. Stricter than the JSON parser, which accepts
   * overlong forms and encoded surrogates.
   */
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

  /** Returns the first 40 characters of a text, for messages. */
  public static String excerpt(String text) {
    return text.length() <= MAX_EXCERPT ? text : text.substring(0, MAX_EXCERPT) + "…";
  }

  private TextSyntax() {}
}
