package io.headgate.server.http.auth;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Role;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that pages of other sites send to a service without tokens (CSRF and DNS
 * rebinding). Such a service listens on the loopback interface only, but every page in a browser on
 * that machine can reach it: a page can send requests whose responses it can't read, and a page
 * whose host name resolves to this address can read them as well.
 */
public final class CrossSiteGuard {
  private static final String FETCH_SITE = "Sec-Fetch-Site";

  private CrossSiteGuard() {}

  /**
   * Checks a request. Most requests have no {@code Origin} and cost two header lookups.
   *
   * @throws ProblemException with status 403 if the request is from another site
   */
  public static void require(Role role, HttpServerRequest request) {
    if (role == Role.PUBLIC) return;
    rejectOtherSites(request.getHeader(FETCH_SITE));
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    var requested = request.authority();
    if (origin != null && !isSameOrigin(origin, requested)) {
      throw new ProblemException(
          ProblemDocument.of(
              403,
              "Origin",
              "requests from another site (%s) are rejected while the service has no tokens; use its own"
                      .formatted(TextSyntax.excerpt(origin))
                  + " origin, or set an admin token"));
    }
    // Proxies send the name of their upstream, such as "headgate". A page of another site can't
    // have
    // such a host: names of sites have a dot.
    boolean upstream = role.isPartOfChecks() || role == Role.PEEK;
    if (requested == null || isLocal(requested.host())) return;
    if (upstream && requested.host().indexOf('.') < 0) return;
    throw new ProblemException(
        ProblemDocument.of(
            403,
            "Host",
            "without tokens the host must be localhost%s or an IP address, got '%s'; use"
                    .formatted(
                        upstream ? ", a name without dots" : "",
                        TextSyntax.excerpt(requested.host()))
                + " 127.0.0.1, or set %s token".formatted(upstream ? "a check" : "an admin")));
  }

  /**
   * Rejects requests of other sites by {@code Sec-Fetch-Site}, which browsers send with every
   * request, including those without an origin such as images and links. It is {@code none} for an
   * address that was typed.
   */
  private static void rejectOtherSites(@Nullable String site) {
    if (site == null || site.equals("same-origin") || site.equals("none")) return;
    throw new ProblemException(
        ProblemDocument.of(
            403,
            "Sec-Fetch-Site",
            "requests from another site (%s) are rejected while the service has no tokens; set an admin token"
                    .formatted(TextSyntax.excerpt(site))
                + " and a check token"));
  }

  private static boolean isSameOrigin(String origin, @Nullable HostAndPort requested) {
    if (requested == null) return false;
    try {
      var site = URI.create(origin);
      int defaultPort = "https".equals(site.getScheme()) ? 443 : 80;
      return requested.host().equalsIgnoreCase(site.getHost())
          && port(site.getPort(), defaultPort) == port(requested.port(), defaultPort);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static int port(int given, int defaultPort) {
    return given < 0 ? defaultPort : given;
  }

  private static boolean isLocal(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    String bare =
        name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || NetUtil.isValidIpV4Address(bare)
        || NetUtil.isValidIpV6Address(bare);
  }
}
