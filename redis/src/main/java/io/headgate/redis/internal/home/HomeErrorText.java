package io.headgate.redis.internal.home;

import io.headgate.redis.HomeService;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Describes why a call to a home behind a service got no reply, and what to do. */
final class HomeErrorText {
  /** Part of the HTTP client's message for a connection that was closed. */
  private static final String NO_BYTES = "received no bytes";

  private static final int MAX_DETAIL = 300;

  /** The detail of a problem document. */
  private static final Pattern DETAIL = Pattern.compile("\"detail\":\"([^\"\\\\]{1,1000})\"");

  /** Returns the failure in words. */
  static String of(Throwable problem, HomeService home) {
    var address = home.location();
    if (find(problem, UnresolvedAddressException.class).isPresent()) {
      return "the host name of home at %s can't be resolved; check --home".formatted(address);
    }
    if (problem instanceof HttpConnectTimeoutException) {
      return "cannot connect to home at %s: no response to the attempt to connect; check --home, and firewalls"
          .formatted(address);
    }
    if (problem instanceof ConnectException) {
      return "cannot connect to home at %s: the connection was refused; check --home, and that its service runs"
          .formatted(address);
    }
    if (problem instanceof HttpTimeoutException) {
      return "home at %s did not reply within %d ms; see --home-timeout if it is far away"
          .formatted(address, home.deadline().toMillis());
    }
    var tls = find(problem, SSLException.class);
    if (tls.isPresent()) return ofTls(tls.get(), address);
    var reason = String.valueOf(problem.getMessage());
    if (problem instanceof ProtocolException) {
      return "home at %s does not speak HTTP; check its port in --home%s"
          .formatted(address, orTls(home));
    }
    return find(problem, EOFException.class).isPresent() || reason.contains(NO_BYTES)
        ? "home at %s closed the connection without a reply; check its port in --home%s"
            .formatted(address, orTls(home))
        : "the connection to home at %s failed: %s".formatted(address, reason);
  }

  /** Returns a response other than 200 in words. */
  static String ofStatus(int status, String body, HomeService home) {
    var problem = DETAIL.matcher(body);
    var detail = problem.find() ? problem.group(1) : body;
    var text =
        detail
            .chars()
            .limit(MAX_DETAIL)
            .collect(StringBuilder::new, HomeErrorText::append, (a, b) -> {});
    var advice =
        switch (status) {
          case 401, 403, 429 ->
              "; set --home-token to a --region-token of that service"; // 429: wrong tokens
          case 404, 405 -> "; check that --home is a Headgate of this version";
          default -> "";
        };
    return "home at %s answered %d%s%s"
        .formatted(home.location(), status, text.isEmpty() ? "" : ": " + text, advice);
  }

  /** Leaves control characters out, since the text is printed to terminals and logs. */
  private static void append(StringBuilder text, int character) {
    text.append(Character.isISOControl(character) ? ' ' : (char) character);
  }

  private static String orTls(HomeService home) {
    return home.uri().getScheme().toLowerCase(Locale.ROOT).equals("http")
        ? ", or use https:// if it has TLS"
        : "";
  }

  private static String ofTls(SSLException problem, String home) {
    if (has(problem, CertificateExpiredException.class)) {
      return "the certificate of home at %s has expired; renew it, or correct this machine's clock"
          .formatted(home);
    }
    if (has(problem, CertificateNotYetValidException.class)) {
      return "the certificate of home at %s is not valid yet; correct this machine's clock, or wait"
          .formatted(home);
    }
    if (has(problem, CertPathBuilderException.class)
        || has(problem, CertPathValidatorException.class)) {
      return "the certificate of home at %s is not trusted; name the certificate of its issuer with --home-ca FILE"
          .formatted(home);
    }
    var invalid = find(problem, CertificateException.class);
    if (invalid.isPresent()) {
      return "the certificate of home at %s is not valid for it: %s; use the host name of the certificate in --home"
          .formatted(home, invalid.get().getMessage());
    }
    var reason = String.valueOf(problem.getMessage());
    return reason.contains("record") || reason.contains("SSL message")
        ? "home at %s does not speak TLS; use http:// in --home, or check its port".formatted(home)
        : "no TLS connection to home at %s: %s; check --home and --home-ca".formatted(home, reason);
  }

  /** Returns whether this side refused the certificate of home. */
  static boolean isRefusedCertificate(Throwable problem) {
    return has(problem, CertificateException.class)
        || has(problem, CertPathBuilderException.class)
        || has(problem, CertPathValidatorException.class);
  }

  private static boolean has(Throwable problem, Class<? extends Throwable> type) {
    return find(problem, type).isPresent();
  }

  private static <T extends Throwable> Optional<T> find(Throwable problem, Class<T> type) {
    for (var cause = problem; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) return Optional.of(type.cast(cause));
    }
    return Optional.empty();
  }

  private HomeErrorText() {}
}
