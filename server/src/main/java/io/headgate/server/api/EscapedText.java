package io.headgate.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.headgate.http.TextSyntax;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Encodes texts with characters that JSON escapes or that are not ASCII, by Jackson's generator.
 */
final class EscapedText {
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .characterEscapes(new ControlEscapes())
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .build();

  /**
   * Returns a text in quotes, in UTF-8. Control characters are escaped; unpaired surrogates become
   * U+FFFD.
   */
  static byte[] quoted(String text) {
    var bytes = new ByteArrayOutputStream(text.length() + 16);
    try (var out = FACTORY.createGenerator(bytes)) {
      out.writeString(wellFormed(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // not from an array
    }
    return bytes.toByteArray();
  }

  private static String wellFormed(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (TextSyntax.isLoneSurrogate(text, i)) return withoutLoneSurrogates(text);
    }
    return text;
  }

  private static String withoutLoneSurrogates(String text) {
    var fixed = new StringBuilder(text);
    for (int i = 0; i < text.length(); i++) {
      if (TextSyntax.isLoneSurrogate(text, i)) fixed.setCharAt(i, '\ufffd');
    }
    return fixed.toString();
  }

  private EscapedText() {}
}
