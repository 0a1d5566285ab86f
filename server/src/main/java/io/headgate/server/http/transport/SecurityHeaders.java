package io.headgate.server.http.transport;

import io.netty.util.AsciiString;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.Map;

/**
 * Sets the response headers for browsers: no content sniffing and, for pages, a policy that allows
 * only the dashboard's own scripts and no framing.
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

  /** Sets the headers for a media type. */
  public static void put(HttpServerResponse response, CharSequence mediaType) {
    response.headers().set(NOSNIFF_NAME, NOSNIFF);
    if (isPage(mediaType)) OF_PAGES.forEach(response::putHeader);
  }

  private static boolean isPage(CharSequence mediaType) {
    return AsciiString.regionMatches(mediaType, true, 0, HTML, 0, HTML.length());
  }

  private SecurityHeaders() {}
}
