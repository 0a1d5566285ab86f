package io.headgate.server.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.tls.TlsFiles;
import io.headgate.store.Ticker;
import io.headgate.testkit.net.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each way in which a service can't be reached has its own message and advice. */
class ConnectionErrorsTest extends Shell {
  private void assertFailed(String... parts) {
    assertThat(err).startsWith("headgate: ").contains(parts).hasLineCount(1);
    assertThat(err)
        .doesNotContain("Exception", "java.", "javax.", "sun.")
        .doesNotContainPattern("(GET|POST|PUT|DELETE) /");
    assertThat(out).isEmpty();
    assertThat(code).isEqualTo(2);
  }

  private static ServerSocket listener() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static String url(String scheme, ServerSocket socket) {
    return "%s://127.0.0.1:%d".formatted(scheme, socket.getLocalPort());
  }

  /** Accepts one connection and replies with a text to whatever the client sends. */
  private static Thread replying(ServerSocket socket, String text) {
    return Thread.ofVirtual()
        .start(() -> {
          try (var connection = socket.accept()) {
            if (connection.getInputStream().read() < 0) return;
            connection.getOutputStream().write(text.getBytes(US_ASCII));
            connection.shutdownOutput();
            // Closing with unread input would reset the connection and discard the reply.
            connection.getInputStream().readAllBytes();
          } catch (IOException e) {
            // The client has closed the connection; its message is tested.
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "check user:7", "rules list", "blocks", "slots release x"})
  void refusedConnectionAdvisesToStartAService(String line) throws IOException {
    String closed;
    try (var socket = listener()) {
      closed = url("http", socket);
    }
    environment.put("HEADGATE_URL", closed);
    run(line.split(" ", -1));
    assertFailed("nothing listens at " + closed, "headgate serve", "--url or HEADGATE_URL");
  }

  @Test
  void unresolvableHostNamesTheHost() {
    run("status", "--url", "http://no.invalid:8080");
    assertFailed("the host name 'no.invalid' can't be resolved", "--url or HEADGATE_URL");
  }

  @Test
  void missingResponseNamesTheTimeout() throws IOException {
    try (var socket = listener()) {
      run("status", "--url", url("http", socket), "--timeout", "50ms");
      assertFailed("did not respond within 50ms", "--timeout");
    }
  }

  @Test
  void serverThatIsNotHttpIsRecognized() throws Exception {
    try (var socket = listener()) {
      var server = replying(socket, "-ERR unknown command\r\n");
      run("status", "--url", url("http", socket));
      assertFailed("does not speak HTTP", "check the port", "https://");
      server.join();
    }
  }

  @Test
  void closedConnectionIsRecognized() throws Exception {
    try (var socket = listener()) {
      var server = replying(socket, "");
      // A check, since the HTTP client repeats a GET over another connection.
      run("check", "user:7", "--url", url("http", socket));
      assertFailed("closed the connection without a response", "use https://");
      server.join();
    }
  }

  @Test
  void serverWithoutTlsIsRecognized() throws Exception {
    try (var socket = listener()) {
      var server = replying(socket, "HTTP/1.1 400 Bad Request\r\n\r\n");
      run("status", "--url", url("https", socket));
      assertFailed("does not speak TLS", "http://");
      server.join();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>", "{}", "{\"store\":{}}", "[]", ""})
  void serverThatIsNotHeadgateIsRecognized(String body) throws Exception {
    for (var line : new String[] {"status", "callers", "rules list", "check user:7"}) {
      try (var socket = listener()) {
        var server =
            replying(
                socket,
                "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body));
        environment.put("HEADGATE_URL", url("http", socket));
        run(line.split(" ", -1));
        assertFailed("replied 200, which is not a response of Headgate; check --url");
        server.join();
      }
    }
  }

  private static Service tlsService(TestCertificates certificates, RateLimiter limiter)
      throws Exception {
    var files =
        new TlsFiles(certificates.certificate(), certificates.key(), Optional.empty(), false);
    var settings =
        new ServiceSettings(
            "127.0.0.1",
            0,
            AccessControl.OPEN,
            ConnectionLimits.DEFAULT,
            TrustedProxies.NONE,
            Optional.of(files),
            Duration.ZERO,
            1);
    return Service.start(
        settings, limiter, InMemoryRuleRepository.of(limiter.rules()), Ticker.system());
  }

  @Test
  void certificateMustBeTrusted() throws Exception {
    try (var certificates = TestCertificates.create();
        var other = TestCertificates.create();
        var limiter = RateLimiter.inMemory();
        var service = tlsService(certificates, limiter)) {
      environment.put("HEADGATE_URL", "https://127.0.0.1:" + service.port());
      run("check", "user:7");
      assertFailed("the certificate of https://127.0.0.1:", "is not trusted", "--ca FILE");
      run("check", "user:7", "--ca", other.certificate().toString());
      assertFailed("is not trusted");
      run("check", "user:7", "--ca", certificates.certificate().toString());
      assertThat(err).isEmpty();
      assertThat(code).isZero();
      run("check", "user:7", "--ca", certificates.key().toString());
      assertFailed("--ca: there is no PEM certificate in ");
      run("check", "user:7", "--ca", "none.pem");
      assertFailed("--ca: ", "none.pem: there is no such file");
      Files.writeString(folder.resolve("empty.pem"), "");
      run("check", "user:7", "--ca", folder.resolve("empty.pem").toString());
      assertFailed("there is no PEM certificate in ", "empty.pem");
      run("check", "user:7", "--url", "http://127.0.0.1:" + service.port());
      assertFailed("use https://");
    }
  }
}
