package io.headgate.server.trace;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where traces go.
 *
 * @param endpoint takes OTLP over HTTP
 * @param ratio the share of requests that is followed, of those whose parent does not say
 */
public record TraceSettings(URI endpoint, double ratio) {
  private static final String PATH = "/v1/traces";

  public TraceSettings {
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException("trace-ratio must be 0 to 1, got " + ratio);
    }
  }

  /** From the address of a collector, such as {@code http://127.0.0.1:4318}. */
  public static TraceSettings of(String address, double ratio) {
    try {
      var uri = new URI(address);
      boolean known = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean plain =
          uri.getUserInfo() == null && uri.getQuery() == null && uri.getFragment() == null;
      if (known && uri.getHost() != null && plain) return new TraceSettings(full(uri), ratio);
    } catch (URISyntaxException e) {
      // said below, without the text: an address may hold a secret
    }
    throw new IllegalArgumentException(
        "traces must be an address such as http://127.0.0.1:4318, without user, password or query");
  }

  /** As all who send OTLP do it: what is given is where the collector is, not where traces go. */
  private static URI full(URI given) {
    String text = given.toString();
    if (text.endsWith(PATH)) return given;
    return URI.create((text.endsWith("/") ? text.substring(0, text.length() - 1) : text) + PATH);
  }

  /** What a log may say: a path may be as secret as a password. */
  String shown() {
    return endpoint.getScheme() + "://" + endpoint.getAuthority();
  }
}
