package io.headgate.server.cli.options;

import io.headgate.server.api.TrustedProxies;
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

/** How connections are taken: TLS, whose word counts about addresses, and how much of it all. */
public final class ListenOptions {
  /** Whether clients have to show a certificate. */
  enum ClientAuth {
    required,
    optional
  }

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "The certificate to show, with those that vouch for it (PEM); read again when it changes."
              + " Default: none, clear text")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "Its private key (PEM, PKCS#8). Default: none")
  private Optional<Path> key = Optional.empty();

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description = "Who may vouch for clients (PEM): clients show certificates too. Default: none")
  private Optional<Path> clients = Optional.empty();

  @Option(
      names = "--tls-client-auth",
      paramLabel = "WHEN",
      defaultValue = "required",
      description =
          "Whether a client without a certificate is refused: required or optional."
              + " Default: ${DEFAULT-VALUE}")
  private ClientAuth clientAuth = ClientAuth.required;

  @Option(
      names = "--trusted-proxies",
      paramLabel = "CIDR",
      split = ",",
      description =
          "Proxies that are believed when they name the caller's address: 127.0.0.1,10.0.0.0/8."
              + " Default: none, the caller is who connects")
  private List<String> proxies = List.of();

  @Option(
      names = "--client-ip-from",
      paramLabel = "HEADER",
      split = ",",
      defaultValue = "X-Real-IP,X-Forwarded-For,Forwarded",
      description =
          "In which headers they name it; if two differ, the proxy itself is the caller."
              + " Default: ${DEFAULT-VALUE}")
  private List<String> headers = List.of();

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      defaultValue = "" + ConnectionLimits.DEFAULT_MOST,
      description = "How many connections may be open at once. Default: ${DEFAULT-VALUE}")
  private int most;

  @Option(
      names = "--max-connections-per-address",
      paramLabel = "N",
      description =
          "How many of them from one address (an IPv6 network of 64 bits). Default: all of them")
  private Optional<Integer> mostOfOne = Optional.empty();

  @Option(
      names = "--idle-timeout",
      paramLabel = "TIME",
      defaultValue = "60s",
      converter = DurationText.class,
      description = "How long a connection may be silent. Default: ${DEFAULT-VALUE}")
  private Duration idle = ConnectionLimits.DEFAULT_IDLE;

  @Option(
      names = "--header-timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationText.class,
      description = "How long the head of a request may take to come. Default: ${DEFAULT-VALUE}")
  private Duration head = ConnectionLimits.DEFAULT_HEAD;

  @Option(
      names = "--body-timeout",
      paramLabel = "TIME",
      defaultValue = "20s",
      converter = DurationText.class,
      description = "How long the body of a request may take to come. Default: ${DEFAULT-VALUE}")
  private Duration body = ConnectionLimits.DEFAULT_BODY;

  public ConnectionLimits connections() {
    return new ConnectionLimits(most, mostOfOne.orElse(most), idle, head, body);
  }

  public TrustedProxies trusted() {
    var trusted = named("--trusted-proxies", () -> TrustedProxies.of(proxies));
    return named("--client-ip-from", () -> trusted.reading(headers));
  }

  public Optional<TlsFiles> tls(Path directory) {
    if (certificate.isEmpty() && key.isEmpty()) {
      if (clients.isEmpty()) return Optional.empty();
      throw new CommandFailure("--tls-client-ca is for TLS; give --tls-cert and --tls-key too");
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      throw new CommandFailure("--tls-cert and --tls-key belong together; give both");
    }
    return Optional.of(
        new TlsFiles(
            directory.resolve(certificate.get()),
            directory.resolve(key.get()),
            clients.map(directory::resolve),
            clientAuth == ClientAuth.required));
  }

  public String scheme() {
    return certificate.isPresent() ? "https" : "http";
  }

  private static <T> T named(String option, Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(option + ": " + e.getMessage());
    }
  }
}
