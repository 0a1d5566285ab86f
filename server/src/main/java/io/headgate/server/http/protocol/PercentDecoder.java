package io.headgate.server.http.protocol;

import io.headgate.server.api.ProblemException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-encoded UTF-8, read strictly. */
public final class PercentDecoder {
  /**
   * @param where what to call the text if it can't be read
   */
  public static String decode(String where, String text) {
    var bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '%') {
        if (c > 0x7e) throw unreadable(where);
        bytes.write(c);
        continue;
      }
      if (i + 2 >= text.length()) throw unreadable(where);
      int high = Character.digit(text.charAt(++i), 16);
      int low = Character.digit(text.charAt(++i), 16);
      if (high < 0 || low < 0) throw unreadable(where);
      bytes.write(high << 4 | low);
    }
    try {
      var decoder = StandardCharsets.UTF_8.newDecoder();
      return decoder.decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
    } catch (CharacterCodingException e) {
      throw unreadable(where);
    }
  }

  private static ProblemException unreadable(String where) {
    return ProblemException.badInput(
        where,
        "must be UTF-8 in which all but ASCII, and every %, is percent-encoded, as in %C3%A4");
  }

  private PercentDecoder() {}
}
