package io.headgate.server.http.transport;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.Map;

/**
 * What browsers are told of an answer: that it is what its type says; and of a page also that it
 * runs nothing but our own scripts, and nowhere but in a window of its own.
 */
public final class SecurityHeaders {
  private static final CharSequence NOSNIFF_NAME =
      HttpHeaders.createOptimized("X-Content-Type-Options");
  private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");
  private static final String HTML = "text/html";

  static final Map<String, String> OF_PAGES =
      Map.of(
          "Content-Security-Policy",
          "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
              + " frame-ancestors 'none'",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Permissions-Policy",
          "camera=(), geolocation=(), microphone=()");

  public static void put(HttpServerResponse response, CharSequence mediaType) {
    response.putHeader(NOSNIFF_NAME, NOSNIFF);
    if (isPage(mediaType)) OF_PAGES.forEach(response::putHeader);
  }

  private static boolean isPage(CharSequence mediaType) {
    return mediaType.length() >= HTML.length()
        && mediaType.subSequence(0, HTML.length()).toString().equalsIgnoreCase(HTML);
  }

  private SecurityHeaders() {}
}
