package io.headgate.server.trace;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * The settings of trace export.
 *
 * @param endpoint the URL that receives OTLP over HTTP
 * @param ratio the share of requests to trace, 0 to 1, among those without a sampling decision of
 *     their parent
 */
public record TraceSettings(URI endpoint, double ratio) {
  private static final String PATH = "/v1/traces";

  public TraceSettings {
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException("trace-ratio must be 0 to 1, got " + ratio);
    }
  }

  /**
   * Creates settings from the base URL of a collector, such as {@code http://127.0.0.1:4318}.
   *
   * @throws IllegalArgumentException if the URL or the ratio is not valid; the message does not
   *     repeat the URL, which may contain a secret
   */
  public static TraceSettings of(String address, double ratio) {
    try {
      var uri = new URI(address);
      boolean known = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean plain =
          uri.getUserInfo() == null && uri.getQuery() == null && uri.getFragment() == null;
      if (known && uri.getHost() != null && plain) return new TraceSettings(full(uri), ratio);
    } catch (URISyntaxException e) {
      // reported below without the text, which may contain a secret
    }
    throw new IllegalArgumentException(
        "otlp-endpoint must be a URL such as http://127.0.0.1:4318, without user, password or query");
  }

  /** Appends the path of traces to the base URL, as the OTLP specification defines. */
  private static URI full(URI given) {
    String text = given.toString();
    if (text.endsWith(PATH)) return given;
    return URI.create((text.endsWith("/") ? text.substring(0, text.length() - 1) : text) + PATH);
  }

  /** Returns the endpoint for the log, without its path, which may contain a secret. */
  String shown() {
    return endpoint.getScheme() + "://" + endpoint.getAuthority();
  }
}
