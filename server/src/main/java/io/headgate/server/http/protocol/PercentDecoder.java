package io.headgate.server.http.protocol;

import io.headgate.server.api.ProblemException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Decodes percent-encoded UTF-8 strictly. */
public final class PercentDecoder {
  /**
   * Decodes a text.
   *
   * @param where the name of the text in messages
   * @throws ProblemException with status 400 if the text is malformed or not UTF-8
   */
  public static String decode(String where, String text) {
    var bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '%') {
        if (c > 0x7e) throw malformed(where);
        bytes.write(c);
        continue;
      }
      if (i + 2 >= text.length()) throw malformed(where);
      int high = Character.digit(text.charAt(++i), 16);
      int low = Character.digit(text.charAt(++i), 16);
      if (high < 0 || low < 0) throw malformed(where);
      bytes.write(high << 4 | low);
    }
    try {
      var decoder = StandardCharsets.UTF_8.newDecoder();
      return decoder.decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
    } catch (CharacterCodingException e) {
      throw malformed(where);
    }
  }

  private static ProblemException malformed(String where) {
    return ProblemException.badInput(
        where,
        "must be UTF-8 in which all but ASCII, and every %, is percent-encoded, as in %C3%A4");
  }

  private PercentDecoder() {}
}
