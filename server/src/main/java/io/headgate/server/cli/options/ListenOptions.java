package io.headgate.server.cli.options;

import io.headgate.http.TrustedProxies;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Options of the listener: TLS, trusted proxies, connection limits and timeouts. */
public final class ListenOptions {
  /** Whether clients must present a certificate. */
  enum ClientAuth {
    required,
    optional
  }

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "The certificate chain of the server (PEM); reloaded when it changes. Default:"
              + " none, no TLS")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The private key of the certificate (PEM, PKCS#8). Default: none")
  private Optional<Path> key = Optional.empty();

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description =
          "CA certificates (PEM) to verify client certificates with; if given, clients are"
              + " requested to present one. Default: none")
  private Optional<Path> clientCa = Optional.empty();

  @Option(
      names = "--tls-client-auth",
      paramLabel = "WHEN",
      defaultValue = "required",
      description =
          "Whether a client must present a certificate: required or optional. Default:"
              + " ${DEFAULT-VALUE}")
  private ClientAuth clientAuth = ClientAuth.required;

  @Option(
      names = "--trusted-proxies",
      paramLabel = "CIDR",
      split = ",",
      description =
          "Proxies whose headers are trusted for the client address, such as"
              + " 127.0.0.1,10.0.0.0/8. Default: none, the client is the peer of the connection")
  private List<String> trustedProxies = List.of();

  @Option(
      names = "--client-ip-from",
      paramLabel = "HEADER",
      split = ",",
      defaultValue = "X-Real-IP,X-Forwarded-For,Forwarded",
      description =
          "The headers from which the client address is read; if two differ, the proxy's own"
              + " address is used. Default: ${DEFAULT-VALUE}")
  private List<String> headers = List.of();

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      defaultValue = "" + ConnectionLimits.DEFAULT_MAX_CONNECTIONS,
      description = "The maximum number of open connections. Default: ${DEFAULT-VALUE}")
  private int maxConnections;

  @Option(
      names = "--max-connections-per-address",
      paramLabel = "N",
      description =
          "The maximum number of open connections from one address (for IPv6, from one /64"
              + " network). Default: the value of --max-connections")
  private Optional<Integer> maxPerAddress = Optional.empty();

  @Option(
      names = "--idle-timeout",
      paramLabel = "TIME",
      defaultValue = "60s",
      converter = DurationText.class,
      description =
          "How long a connection may be idle before it is closed. Default: ${DEFAULT-VALUE}")
  private Duration idle = ConnectionLimits.DEFAULT_IDLE;

  @Option(
      names = "--header-timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationText.class,
      description =
          "How long a client may take to send the headers of a request. Default:"
              + " ${DEFAULT-VALUE}")
  private Duration head = ConnectionLimits.DEFAULT_HEAD;

  @Option(
      names = "--body-timeout",
      paramLabel = "TIME",
      defaultValue = "20s",
      converter = DurationText.class,
      description =
          "How long a client may take to send the body of a request. Default:"
              + " ${DEFAULT-VALUE}")
  private Duration body = ConnectionLimits.DEFAULT_BODY;

  /** Returns the connection limits and timeouts. */
  public ConnectionLimits connections() {
    return new ConnectionLimits(
        maxConnections, maxPerAddress.orElse(maxConnections), idle, head, body);
  }

  /**
   * Returns the trusted proxies and their headers.
   *
   * @throws CommandFailure if an address or a header is not valid
   */
  public TrustedProxies trusted() {
    var trusted = withOptionName("--trusted-proxies", () -> TrustedProxies.of(trustedProxies));
    return withOptionName("--client-ip-from", () -> trusted.withHeaders(headers));
  }

  /**
   * Returns the TLS files; empty to serve without TLS.
   *
   * @param directory what relative paths are resolved against
   * @throws CommandFailure if only some of the files are given
   */
  public Optional<TlsFiles> tls(Path directory) {
    if (certificate.isEmpty() && key.isEmpty()) {
      if (clientCa.isEmpty()) return Optional.empty();
      throw new CommandFailure("--tls-client-ca needs TLS; give --tls-cert and --tls-key too");
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      throw new CommandFailure("--tls-cert and --tls-key must be given together");
    }
    return Optional.of(
        new TlsFiles(
            directory.resolve(certificate.get()),
            directory.resolve(key.get()),
            clientCa.map(directory::resolve),
            clientAuth == ClientAuth.required));
  }

  /** Returns the URL scheme of the service. */
  public String scheme() {
    return certificate.isPresent() ? "https" : "http";
  }

  private static <T> T withOptionName(String option, Supplier<T> supplier) {
    try {
      return supplier.get();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(option + ": " + e.getMessage());
    }
  }
}
