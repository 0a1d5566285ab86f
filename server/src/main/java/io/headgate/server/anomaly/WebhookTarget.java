package io.headgate.server.anomaly;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * Address of a webhook and the secret that signs its messages. Neither exceptions nor {@code
 * toString} contain the secret.
 */
public record WebhookTarget(URI address, Optional<String> secret) {
  private static final int MIN_SECRET_LENGTH = 16;

  public WebhookTarget {
    if (secret.isPresent() && secret.get().length() < MIN_SECRET_LENGTH) {
      throw new IllegalArgumentException(
          "webhook-secret must have at least %d characters".formatted(MIN_SECRET_LENGTH));
    }
  }

  /**
   * Parses an address such as {@code https://example.com/hook}.
   *
   * @throws IllegalArgumentException if it is not an HTTP address or contains credentials
   */
  public static WebhookTarget of(String address, Optional<String> secret) {
    try {
      var uri = new URI(address);
      boolean supported = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (supported && uri.getHost() != null && uri.getUserInfo() == null) {
        return new WebhookTarget(uri, secret);
      }
    } catch (URISyntaxException e) {
      // Reported below without the text, since an address may contain a secret.
    }
    throw new IllegalArgumentException(
        "webhook must be an address such as https://example.com/hook, without user or password");
  }

  /** Returns the address without path and query, which may be as secret as a password. */
  @Override
  public String toString() {
    return address.getScheme()
        + "://"
        + address.getHost()
        + (address.getPort() < 0 ? "" : ":" + address.getPort());
  }
}
