package io.headgate.http;

import io.headgate.rule.Subject;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the attributes of one HTTP request. Clients choose many of the values, so every text is
 * mapped to a valid attribute: control characters and bytes that are not UTF-8 are escaped, and a
 * text that is too long ends in its hash. Rejecting it instead would let a client choose an error
 * over a limit. Not thread-safe.
 */
public final class RequestAttributes {
  private String[] pairs = new String[8];
  private int length;

  /**
   * Adds an attribute.
   *
   * @param value the text; null or empty adds nothing
   * @throws IllegalStateException if there are more than {@link Subject#MAX_ATTRIBUTES}
   */
  public RequestAttributes add(String name, @Nullable String value) {
    if (value == null || value.isEmpty()) return this;
    if (length == pairs.length) {
      if (length == 2 * Subject.MAX_ATTRIBUTES) {
        throw new IllegalStateException(
            "attribute '%s' is one too many; a subject may have %d"
                .formatted(name, Subject.MAX_ATTRIBUTES));
      }
      pairs = Arrays.copyOf(pairs, 2 * length);
    }
    pairs[length++] = name;
    pairs[length++] = TruncatedText.of(printable(value));
    return this;
  }

  /** Returns the subject with the attributes added so far. */
  public Subject subject() {
    return Subject.ofPairs(length == pairs.length ? pairs : Arrays.copyOf(pairs, length));
  }

  /** Servers decode the bytes of a header one by one, so a text below U+0100 is read as bytes. */
  private static String printable(String text) {
    boolean ascii = true;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c > 0xff) return HeaderText.printable(text);
      ascii &= c >= ' ' && c < 0x7f;
    }
    return ascii ? text : HeaderText.printable(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
