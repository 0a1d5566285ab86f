package io.headgate.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * A home behind the service of another region, for regions without a network path to home's Redis.
 * Immutable. Its text contains no secrets.
 *
 * @param uri {@code http://host:port} or {@code https://host:port} of the service
 * @param token the region token of the service; empty if it needs none
 * @param deadline how long a call waits for the reply
 * @param ca a file of certificates (PEM) to trust for {@code https://} instead of the system's. It
 *     is read when a {@link RegionalStore} connects
 */
public record HomeService(URI uri, Optional<String> token, Duration deadline, Optional<Path> ca)
    implements RegionHome {
  private static final String FORM =
      "a service must be http://host:port or https://host:port, without a path, user or query";

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is not valid. */
  public HomeService {
    var path = uri.getPath();
    boolean valid =
        isService(uri.toString())
            && uri.getHost() != null
            && uri.getUserInfo() == null
            && (path == null || path.isEmpty() || path.equals("/"))
            && uri.getQuery() == null
            && uri.getFragment() == null;
    if (!valid) throw new IllegalArgumentException(FORM);
    if (ca.isPresent() && !uri.getScheme().equalsIgnoreCase("https")) {
      throw new IllegalArgumentException(
          "certificates to trust need a service with TLS; begin its address with https://");
    }
    if (deadline.compareTo(Duration.ofMillis(1)) < 0
        || deadline.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException(
          "the deadline of a call must be 1 ms to 1 min, got %s".formatted(deadline));
    }
  }

  /**
   * Parses the address of a service.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static HomeService of(String address, Optional<String> token, Duration deadline) {
    try {
      return new HomeService(new URI(address), token, deadline, Optional.empty());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(FORM); // its message would show a password in the address
    }
  }

  /** Returns this home with certificates (PEM) to trust instead of the system's. */
  public HomeService withCa(Path file) {
    return new HomeService(uri, token, deadline, Optional.of(file));
  }

  /** Returns whether an address is that of a service rather than of a Redis. */
  public static boolean isService(String address) {
    var text = address.toLowerCase(Locale.ROOT);
    return text.startsWith("http://") || text.startsWith("https://");
  }

  @Override
  public String location() {
    return uri.getScheme() + "://" + uri.getAuthority();
  }

  @Override
  public String toString() {
    return location();
  }
}
