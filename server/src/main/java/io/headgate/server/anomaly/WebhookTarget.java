package io.headgate.server.anomaly;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * Whom to tell, and the secret that shows it was us. Repeats no secret: neither in messages nor in
 * {@code toString}.
 */
public record WebhookTarget(URI address, Optional<String> secret) {
  private static final int SHORTEST_SECRET = 16;

  public WebhookTarget {
    if (secret.isPresent() && secret.get().length() < SHORTEST_SECRET) {
      throw new IllegalArgumentException(
          "webhook-secret must have at least %d characters".formatted(SHORTEST_SECRET));
    }
  }

  /** From text such as {@code https://example.com/hook}. */
  public static WebhookTarget of(String address, Optional<String> secret) {
    try {
      var uri = new URI(address);
      boolean known = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (known && uri.getHost() != null && uri.getUserInfo() == null) {
        return new WebhookTarget(uri, secret);
      }
    } catch (URISyntaxException e) {
      // said below, without the text: an address may hold a secret
    }
    throw new IllegalArgumentException(
        "webhook must be an address such as https://example.com/hook, without user or password");
  }

  /** What a log may say: a path or a query may be as secret as a password. */
  @Override
  public String toString() {
    return address.getScheme()
        + "://"
        + address.getHost()
        + (address.getPort() < 0 ? "" : ":" + address.getPort());
  }
}
