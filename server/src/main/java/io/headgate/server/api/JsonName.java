package io.headgate.server.api;

import java.nio.charset.StandardCharsets;

/** The name of a member, encoded once. For names that are written with every reply. Immutable. */
public final class JsonName {
  private final byte[] bytes;

  private JsonName(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Encodes a name.
   *
   * @throws IllegalArgumentException if it has characters other than letters, digits and hyphens
   */
  public static JsonName of(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c != '-' && (c > 'z' || !Character.isLetterOrDigit(c))) {
        throw new IllegalArgumentException("'%s' is not a plain name".formatted(name));
      }
    }
    return new JsonName(('"' + name + "\":").getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the name in quotes with the colon. Not to be changed. */
  byte[] bytes() {
    return bytes;
  }
}
