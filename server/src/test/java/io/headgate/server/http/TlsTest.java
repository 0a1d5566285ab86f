package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.tls.TlsFiles;
import io.headgate.testkit.net.TestCertificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsTest {
  private static final Rule RULE =
      Rule.named("all").limit(FixedWindow.of(Rate.perHour(100))).build();

  private static TestCertificates first;
  private static TestCertificates second;

  @TempDir Path folder;
  private Path certificate;
  private Path key;

  @BeforeAll
  static void make() {
    first = TestCertificates.create();
    second = TestCertificates.create();
  }

  @AfterAll
  static void remove() {
    first.close();
    second.close();
  }

  @BeforeEach
  void place() throws IOException {
    certificate = folder.resolve("cert.pem");
    key = folder.resolve("key.pem");
    put(first.certificate(), certificate);
    put(first.key(), key);
  }

  private static void put(Path from, Path to) throws IOException {
    var beside = to.resolveSibling(to.getFileName() + ".new");
    Files.copy(from, beside, StandardCopyOption.REPLACE_EXISTING);
    Files.move(beside, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  private TlsFiles files() {
    return new TlsFiles(certificate, key, Optional.empty(), false);
  }

  private static HttpResponse<String> get(
      RunningService service, SSLContext context, HttpClient.Version version) throws Exception {
    try (var client = HttpClient.newBuilder().sslContext(context).version(version).build()) {
      var uri = URI.create("https://127.0.0.1:" + service.port() + "/health/live");
      return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }
  }

  private static boolean accepts(RunningService service, SSLContext context) throws Exception {
    try {
      return get(service, context, HttpClient.Version.HTTP_1_1).statusCode() == 200;
    } catch (SSLException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void bothVersionsOfHttpAreServed(HttpClient.Version version) throws Exception {
    try (var service = RunningService.withTls(files(), RULE)) {
      var answer = get(service, first.trusting(), version);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.version()).isEqualTo(version);
    }
  }

  @Test
  void clientThatTrustsAnotherCertificateFails() throws Exception {
    try (var service = RunningService.withTls(files(), RULE)) {
      assertThat(accepts(service, first.trusting())).isTrue();
      assertThat(accepts(service, second.trusting())).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void secureTlsVersionsAreAccepted(String version) throws Exception {
    try (var service = RunningService.withTls(files(), RULE);
        var socket = socket(service, first.trusting())) {
      socket.setEnabledProtocols(new String[] {version});
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo(version);
    }
  }

  /** The JDK does not support these versions, so the ClientHello record is sent as raw bytes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void insecureTlsVersionsAreRejected(int minor) throws Exception {
    try (var service = RunningService.withTls(files(), RULE);
        var connection = service.connect()) {
      connection.send(hello(minor));
      byte[] answer = connection.readBytes(7);
      assertThat(answer[0]).as("an alert").isEqualTo((byte) 21);
      assertThat(answer[6]).as("protocol_version").isEqualTo((byte) 70);
    }
  }

  /** Returns a ClientHello of TLS 1.0 (minor 1) or 1.1 (minor 2) with a widely supported suite. */
  private static byte[] hello(int minor) {
    var body = new byte[2 + 32 + 1 + 2 + 2 + 2];
    body[0] = 3;
    body[1] = (byte) minor;
    int at = 2 + 32 + 1;
    body[at + 1] = 2; // the length of the list of suites
    body[at + 2] = (byte) 0xc0;
    body[at + 3] = 0x09; // ECDHE_ECDSA_WITH_AES_128_CBC_SHA
    body[at + 4] = 1; // compression methods: null only
    var hello = new byte[5 + 4 + body.length];
    hello[0] = 22;
    hello[1] = 3;
    hello[2] = 1;
    hello[4] = (byte) (4 + body.length);
    hello[5] = 1;
    hello[8] = (byte) body.length;
    System.arraycopy(body, 0, hello, 9, body.length);
    return hello;
  }

  private static SSLSocket socket(RunningService service, SSLContext context) throws IOException {
    var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", service.port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  @Test
  void newCertificateIsUsedForNewConnectionsAndOldOnesStayOpen() throws Exception {
    try (var service = RunningService.withTls(files(), RULE);
        var old = new RawConnection(socket(service, first.trusting()))) {
      assertThat(old.request("GET", "/health/live").status()).isEqualTo(200);
      put(second.certificate(), certificate);
      put(second.key(), key);
      await().atMost(Duration.ofSeconds(30)).until(() -> accepts(service, second.trusting()));
      assertThat(accepts(service, first.trusting())).isFalse();
      assertThat(old.request("GET", "/health/live").status()).isEqualTo(200);
    }
  }

  @Test
  void mismatchedKeyPairIsReportedAndTheOldOneStays() throws Exception {
    try (var service = RunningService.withTls(files(), RULE);
        var log = new LogCapture("io.headgate.server.files")) {
      put(second.certificate(), certificate);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> log.text().contains("does not match the certificate in"));
      assertThat(log.text()).contains("keeping the previous content");
      assertThat(accepts(service, first.trusting())).isTrue();
      Files.writeString(key, "nothing");
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> log.text().contains("there is no private key in"));
      assertThat(accepts(service, first.trusting())).isTrue();
      put(second.key(), key);
      await().atMost(Duration.ofSeconds(30)).until(() -> accepts(service, second.trusting()));
    }
  }

  @Test
  void mismatchedKeyPairIsRejectedAtStart() throws Exception {
    put(second.key(), key);
    assertThatThrownBy(() -> RunningService.withTls(files(), RULE))
        .rootCause()
        .hasMessageContaining("does not match the certificate in");
  }

  @Test
  void requiredClientCertificateIsEnforced() throws Exception {
    var files = new TlsFiles(certificate, key, Optional.of(second.certificate()), true);
    try (var service = RunningService.withTls(files, RULE)) {
      assertThat(accepts(service, first.trusting(second))).isTrue();
      assertRefused(service, first.trusting());
      assertRefused(service, first.trusting(first));
    }
  }

  @Test
  void optionalClientCertificateMayBeMissingButNotUntrusted() throws Exception {
    var files = new TlsFiles(certificate, key, Optional.of(second.certificate()), false);
    try (var service = RunningService.withTls(files, RULE)) {
      assertThat(accepts(service, first.trusting(second))).isTrue();
      assertThat(accepts(service, first.trusting())).isTrue();
      assertRefused(service, first.trusting(first));
    }
  }

  /** Includes a request that is answered before its body has been sent. */
  @Test
  void requestsOfOneConnectionAreIndependent() throws Exception {
    try (var service = RunningService.withTls(files(), RULE);
        var client = HttpClient.newBuilder().sslContext(first.trusting()).build()) {
      var uri = URI.create("https://127.0.0.1:" + service.port() + "/v1/check");
      var json = HttpRequest.newBuilder(uri).header("Content-Type", "application/json");
      var small = json.copy().POST(BodyPublishers.ofString("{\"key\":\"k\"}")).build();
      var large = json.copy().POST(BodyPublishers.ofByteArray(new byte[17_000_000])).build();
      assertThat(client.send(small, BodyHandlers.ofString()).body()).contains("\"remaining\":99,");
      assertThat(client.send(large, BodyHandlers.ofString()).statusCode()).isEqualTo(413);
      var answer = client.send(small, BodyHandlers.ofString());
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(answer.body()).contains("\"remaining\":98,");
    }
  }

  /** With TLS 1.3 a client learns of the rejection only when it reads a response. */
  private static void assertRefused(RunningService service, SSLContext context) {
    assertThatThrownBy(() -> get(service, context, HttpClient.Version.HTTP_1_1))
        .isInstanceOf(IOException.class);
  }
}
