package io.headgate.server.http.auth;

import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Role;
import io.headgate.server.api.TextSyntax;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Keeps pages of other sites away from a service without tokens. It listens to its own machine
 * only, but so does every page in that machine's browser: one may send requests whose answers it
 * can't read, and one whose own name has been made to lead here (DNS rebinding) may read them too.
 */
public final class CrossSiteGuard {
  private static final String FETCH_SITE = "Sec-Fetch-Site";

  private CrossSiteGuard() {}

  /** Lets the request pass or throws the refusal. Most have no origin and cost a look. */
  public static void require(Role role, HttpServerRequest request) {
    if (role == Role.ANYBODY) return;
    refuseOtherSites(request.getHeader(FETCH_SITE));
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    boolean anyName = role == Role.CHECK || role == Role.PEEK; // proxies call it what they like
    if (origin == null && anyName) return;
    var asked = request.authority();
    if (origin != null && !isOf(origin, asked)) {
      throw new ProblemException(
          ProblemDocument.of(
              403,
              "Origin",
              "pages of another site (%s) may not ask a service that has no tokens; ask from one of"
                      .formatted(TextSyntax.shown(origin))
                  + " its own, or set an admin token"));
    }
    if (!anyName && asked != null && !isOurs(asked.host())) {
      throw new ProblemException(
          ProblemDocument.of(
              403,
              "Host",
              "without tokens this is done under localhost or an address, not as '%s'; ask"
                      .formatted(TextSyntax.shown(asked.host()))
                  + " 127.0.0.1, or set an admin token"));
    }
  }

  /**
   * Browsers send this with every request, also with those that have no origin, such as that for an
   * image or a link. Whoever types an address is {@code none}.
   */
  private static void refuseOtherSites(@Nullable String site) {
    if (site == null || site.equals("same-origin") || site.equals("none")) return;
    throw new ProblemException(
        ProblemDocument.of(
            403,
            "Sec-Fetch-Site",
            "pages of another site (%s) may not use a service that has no tokens; set an admin token"
                    .formatted(TextSyntax.shown(site))
                + " and a check token"));
  }

  private static boolean isOf(String origin, @Nullable HostAndPort asked) {
    if (asked == null) return false;
    try {
      var site = URI.create(origin);
      int usual = "https".equals(site.getScheme()) ? 443 : 80;
      return asked.host().equalsIgnoreCase(site.getHost())
          && port(site.getPort(), usual) == port(asked.port(), usual);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static int port(int given, int usual) {
    return given < 0 ? usual : given;
  }

  private static boolean isOurs(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    String bare =
        name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || NetUtil.isValidIpV4Address(bare)
        || NetUtil.isValidIpV6Address(bare);
  }
}
