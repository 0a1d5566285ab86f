package io.headgate.server.http;

import java.util.Map;

/**
 * A response.
 *
 * @param headers by their names in lower case
 */
public record RawAnswer(int status, Map<String, String> headers, String body) {
  public String header(String name) {
    return headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), "(none)");
  }

  public String mediaType() {
    return header("content-type");
  }
}
