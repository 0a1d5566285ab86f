package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.SystemErrorText;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Describes why a request to a service got no response, and what to do.
 *
 * @param uri the URI of the request
 * @param target the service
 */
record ConnectionErrorText(URI uri, ServiceClient.Target target) {
  /** Part of the HTTP client's message for a connection that was closed. */
  private static final String NO_BYTES = "received no bytes";

  /** Returns the failure of the command. */
  CommandFailure failure(IOException e) {
    return new CommandFailure(text(e));
  }

  private String text(IOException e) {
    String url = target.shownUrl();
    if (find(e, UnresolvedAddressException.class).isPresent()) {
      return "the host name '%s' can't be resolved; check the name in --url or HEADGATE_URL"
          .formatted(uri.getHost());
    }
    return switch (e) {
      case HttpConnectTimeoutException timeout ->
          "%s does not accept connections: no response to the attempt to connect; check the address and port in --url, and firewalls"
              .formatted(url);
      case HttpTimeoutException timeout ->
          "%s did not respond within %s; try again, or wait longer with --timeout"
              .formatted(url, DurationText.text(target.timeout().toMillis()));
      case NoRouteToHostException unreachable ->
          "there is no route to %s; check the address in --url and the network".formatted(url);
      case ConnectException refused ->
          "nothing listens at %s: the connection was refused; start a service with 'headgate serve', or name a running one with --url or HEADGATE_URL"
              .formatted(url);
      case SSLException tls -> tlsText(tls);
      case ProtocolException other -> notHttp();
      default ->
          find(e, EOFException.class).isPresent() || SystemErrorText.of(e).contains(NO_BYTES)
              ? "the server at %s closed the connection without a response; check the port in --url%s"
                  .formatted(url, orTls())
              : "the connection to %s failed: %s; try again, or check --url"
                  .formatted(url, SystemErrorText.of(e));
    };
  }

  private String notHttp() {
    return "the server at %s does not speak HTTP; check the port in --url%s"
        .formatted(target.shownUrl(), orTls());
  }

  /** A TLS port closes a connection without TLS, or replies with bytes that are not HTTP. */
  private String orTls() {
    return uri.getScheme().equals("http") ? ", or use https:// if the server has TLS" : "";
  }

  private String tlsText(SSLException e) {
    String url = target.shownUrl();
    if (find(e, CertPathBuilderException.class).isPresent()
        || find(e, CertPathValidatorException.class).isPresent()) {
      return "the certificate of %s is not trusted; name the certificate of its CA with --ca FILE"
          .formatted(url);
    }
    var invalid = find(e, CertificateException.class);
    if (invalid.isPresent()) {
      return "the certificate of %s is not valid for it: %s; use the host name of the certificate in --url"
          .formatted(url, invalid.get().getMessage());
    }
    String reason = String.valueOf(e.getMessage());
    if (reason.contains("record") || reason.contains("SSL message")) {
      return "the server at %s does not speak TLS; use http:// in --url, or check the port"
          .formatted(url);
    }
    return "no TLS connection to %s: %s; check --url, and --ca".formatted(url, reason);
  }

  private static <T> Optional<T> find(Throwable e, Class<T> type) {
    for (var cause = e; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) return Optional.of(type.cast(cause));
    }
    return Optional.empty();
  }
}
