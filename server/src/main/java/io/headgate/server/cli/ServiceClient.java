package io.headgate.server.cli;

import io.headgate.internal.http.BoundedBody;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.Printable;
import io.headgate.server.cli.output.SystemErrorText;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests to a running service. The requests of one command share a connection. The
 * first request has to be complete before other threads send further ones, to the same service.
 */
final class ServiceClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** More than the listing of 100,000 rules. */
  private static final int MAX_RESPONSE = 64 << 20;

  private @Nullable HttpClient http;

  /**
   * The service that a command calls.
   *
   * @param token the bearer token to send, if any
   * @param timeout how long the response may take
   * @param ca the file of the certificates to trust instead of the system's
   */
  record Target(String url, Optional<String> token, Duration timeout, Optional<Path> ca) {
    /** Returns the URL without user and password. */
    String shownUrl() {
      return redacted(url);
    }
  }

  /** Any response; its body is safe to print. */
  record Reply(int status, String body) {}

  /**
   * Sends a request and returns the response, whatever its status.
   *
   * @throws CommandFailure if the target is not valid or there is no response
   */
  Reply send(
      Target target, String method, String path, Map<String, String> headers, BodyPublisher body) {
    var uri = address(target, path);
    var request = HttpRequest.newBuilder(uri).timeout(target.timeout());
    headers.forEach(request::header);
    request.method(method, body);
    target.token().ifPresent(token -> request.header("Authorization", "Bearer " + visible(token)));
    try {
      var response = BoundedBody.send(client(target, uri), request.build(), MAX_RESPONSE).get();
      var text = new String(response.body(), StandardCharsets.UTF_8);
      return new Reply(response.statusCode(), Printable.lines(text));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw new ConnectionErrorText(uri, target).failure(failure);
      }
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while waiting for " + target.shownUrl());
    }
  }

  /** Returns a URL without user and password. */
  static String redacted(String url) {
    return url.replaceFirst("^([^/]*//)?[^/]*@", "$1");
  }

  /** The exception of the HTTP client for an invalid header would contain the token. */
  private static String visible(String token) {
    if (token.chars().allMatch(c -> c > ' ' && c < 0x7f)) return token;
    throw new CommandFailure(
        "a token consists of visible ASCII characters, and this one has others; check --token or"
            + " HEADGATE_TOKEN");
  }

  private static URI address(Target target, String path) {
    try {
      var uri = URI.create(target.url().replaceFirst("/+$", "") + path);
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    throw new CommandFailure(
        "'%s' is not a valid URL; use one such as --url http://127.0.0.1:8080"
            .formatted(target.shownUrl()));
  }

  private HttpClient client(Target target, URI uri) {
    if (http != null) return http;
    var timeout = target.timeout();
    var made =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(tls(target, uri))
            .connectTimeout(timeout.compareTo(CONNECT_TIMEOUT) < 0 ? timeout : CONNECT_TIMEOUT)
            .build();
    http = made;
    return made;
  }

  private static SSLContext tls(Target target, URI uri) {
    try {
      if (target.ca().isPresent()) return trusting(target.ca().get());
      if (uri.getScheme().equals("https")) return SSLContext.getDefault();
      // The HTTP client creates a context for http too. One that trusts no certificate saves the
      // time to read those of the system.
      var unused = SSLContext.getInstance("TLS");
      unused.init(null, new TrustManager[0], null);
      return unused;
    } catch (GeneralSecurityException e) {
      throw new CommandFailure("TLS is not available: " + e.getMessage());
    }
  }

  private static SSLContext trusting(Path file) throws GeneralSecurityException {
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    try (InputStream in = Files.newInputStream(file)) {
      trusted.load(null, null);
      for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("ca" + trusted.size(), certificate);
      }
    } catch (IOException e) {
      throw new CommandFailure("--ca: %s: %s".formatted(file, SystemErrorText.of(e)));
    } catch (CertificateException e) {
      throw noCertificate(file);
    }
    if (trusted.size() == 0) throw noCertificate(file);
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static CommandFailure noCertificate(Path file) {
    return new CommandFailure("--ca: there is no PEM certificate in %s".formatted(file));
  }

  /** Closes the connection. */
  @Override
  public void close() {
    if (http != null) http.shutdownNow();
    http = null;
  }
}
