package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every invalid request gets a clear rejection and charges nothing, and the same connection serves
 * the next request.
 */
class BadInputTest {
  private static final String GOOD = "{\"key\":\"user:42\"}";

  private static RunningService service;
  private static RawConnection connection;
  private static String peekedBefore;

  @BeforeAll
  static void start() {
    service =
        RunningService.with(
            Rule.named("everybody").limit(FixedWindow.of(Rate.perHour(1_000_000))).build());
    connection = service.connect();
    peekedBefore = connection.post("/v1/peek", GOOD).body();
  }

  @AfterAll
  static void stop() {
    connection.close();
    service.close();
  }

  /** All tests share one connection, so each shows that the one before left it usable. */
  private static void assertRefused(RawAnswer answer, int status, String field) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.mediaType()).isEqualTo("application/problem+json");
    assertThat(answer.body())
        .contains("\"status\":" + status)
        .containsPattern("\"detail\":\"[^\"]{10,}")
        .doesNotContain("Exception", "at io.", "jackson", "JsonReadFeature");
    if (!field.isEmpty()) assertThat(answer.body()).contains("\"field\":\"" + field);
    var next = connection.post("/v1/peek", GOOD);
    assertThat(next.status()).isEqualTo(200);
    assertThat(next.body()).as("nothing is charged").isEqualTo(peekedBefore);
  }

  static Stream<BadInput> checks() {
    var inBraces = BadInput.fields().stream().map(bad -> BadInput.of("{" + bad[0] + "}", bad[1]));
    return Stream.concat(inBraces, BadInput.bodies());
  }

  @ParameterizedTest
  @MethodSource("checks")
  void invalidCheckIsRejected(BadInput bad) {
    assertRefused(connection.post("/v1/check", bad.body()), 400, bad.field());
  }

  static Stream<BadInput> batches() {
    return BadInput.fields().stream()
        .map(bad ->
            BadInput.of(
                "{\"checks\":[" + GOOD + "," + GOOD + ",{" + bad[0] + "}]}",
                bad[1].equals("wait") ? "checks[2].wait" : "checks[2]" + dotted(bad[1])));
  }

  private static String dotted(String field) {
    return field.isEmpty() ? "" : "." + field;
  }

  @ParameterizedTest
  @MethodSource("batches")
  void oneInvalidCheckRejectsTheWholeBatch(BadInput bad) {
    assertRefused(connection.post("/v1/check/batch", bad.body()), 400, bad.field());
  }

  static Stream<Arguments> otherBodies() {
    return Stream.of(
        Arguments.of("/v1/check/batch", "{}", "checks"),
        Arguments.of("/v1/check/batch", "[]", "body"),
        Arguments.of("/v1/check/batch", "[" + GOOD + "]", "body"),
        Arguments.of("/v1/check/batch", GOOD, "key"),
        Arguments.of("/v1/check/batch", "{\"checks\":{}}", "checks"),
        Arguments.of("/v1/check/batch", "{\"checks\":null}", "checks"),
        Arguments.of("/v1/check/batch", "{\"checks\":[null]}", "checks[0]"),
        Arguments.of("/v1/check/batch", "{\"checks\":[[]]}", "checks[0]"),
        Arguments.of("/v1/check/batch", "{\"checks\":[" + GOOD + ",1]}", "checks[1]"),
        Arguments.of("/v1/check/batch", "{\"checks\":[" + GOOD + "", "checks[1]"),
        Arguments.of("/v1/check/batch", "{\"checks\":[" + GOOD + ",]}", "checks[1]"),
        Arguments.of("/v1/check/batch", "{\"checks\":[],\"checks\":[]}", "checks"),
        Arguments.of("/v1/check/batch", "{\"checks\":[],\"more\":1}", "more"),
        Arguments.of("/v1/check/batch", "{\"checks\":[]}x", "body"),
        Arguments.of(
            "/v1/check/batch", "{\"checks\":[" + BadInput.repeated(GOOD, 1001) + "]}", "checks"),
        Arguments.of("/v1/peek", "{\"key\":\"user:42\",\"wait\":true}", "wait"),
        Arguments.of("/v1/peek", "{\"key\":\"\"}", "key"),
        Arguments.of("/v1/slots", "{\"key\":\"user:42\",\"cost\":-1}", "cost"),
        Arguments.of("/v1/slots", "", "body"),
        Arguments.of("/v1/explain", "{\"key\":\"user:42\",\"wait\":true}", "wait"),
        Arguments.of("/v1/explain", "{}", "subject"),
        Arguments.of("/v1/reset", "{\"key\":\"user:42\"}", "rule"),
        Arguments.of("/v1/reset", "{\"rule\":\"everybody\"}", "subject"),
        Arguments.of("/v1/reset", "{\"key\":\"user:42\",\"rule\":\"\"}", "rule"),
        Arguments.of("/v1/reset", "{\"key\":\"user:42\",\"rule\":7}", "rule"),
        Arguments.of("/v1/reset", "{\"key\":\"user:42\",\"rule\":null}", "rule"),
        Arguments.of("/v1/reset", "{\"key\":\"user:42\",\"rule\":\"a\\u0000\"}", "rule"),
        Arguments.of("/api/ratelimit/check", "{\"tokens\":1}", "key"),
        Arguments.of("/api/ratelimit/check", "{\"subject\":{\"user\":1}}", "subject"),
        Arguments.of("/api/ratelimit/check", "{\"key\":\"k\",\"cost\":1}", "cost"),
        Arguments.of("/api/ratelimit/check", "{\"key\":\"k\",\"tokens\":-1}", "tokens"),
        Arguments.of("/api/ratelimit/check", "{\"key\":\"k\",\"tokens\":1.5}", "tokens"),
        Arguments.of("/api/ratelimit/check", "{\"key\":\"k\",\"tokens\":\"1\"}", "tokens"),
        Arguments.of(
            "/api/ratelimit/check", "{\"key\":\"k\",\"tokensRequested\":NaN}", "tokensRequested"),
        Arguments.of(
            "/api/ratelimit/check",
            "{\"key\":\"k\",\"tokens\":1,\"tokensRequested\":1}",
            "tokens"));
  }

  @ParameterizedTest
  @MethodSource("otherBodies")
  void invalidBodyOfAnyEndpointIsRejected(String path, String body, String field) {
    assertRefused(connection.post(path, body), 400, field);
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/check,65537", "/v1/check,1000000", "/v1/check,10000000", "/v1/peek,65537",
    "/v1/slots,70000", "/v1/explain,65537", "/v1/reset,65537", "/api/ratelimit/check,65537",
    "/v1/check/batch,1048577", "/v1/check/batch,10000000"
  })
  void tooLongBodyIsRejected(String path, int length) {
    String body = GOOD + " ".repeat(length - GOOD.length());
    assertRefused(connection.post(path, body), 413, "body");
  }

  @Test
  void longestAllowedBodyIsAccepted() {
    String body = "{\"key\":\"user:42\",\"cost\":0}";
    var answer = connection.post("/v1/check", body + " ".repeat(65_536 - body.length()));
    assertThat(answer.status()).isEqualTo(200);
  }

  @Test
  void tooLongChunkedBodyIsRejected() {
    connection.send(RawConnection.head("POST /v1/check", "Transfer-Encoding: chunked"));
    byte[] chunk = RawConnection.bytes("2710\r\n" + " ".repeat(10_000) + "\r\n");
    for (int i = 0; i < 100; i++) connection.send(chunk);
    connection.send(RawConnection.bytes("0\r\n\r\n"));
    assertRefused(connection.read(), 413, "body");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Type: text/plain",
        "Content-Type: text/json",
        "Content-Type: application/xml",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Type: multipart/form-data; boundary=x",
        "Content-Type: application/jsonx",
        "Content-Type: json",
        "Content-Type: ",
        "Content-Type: application/json; charset=utf-16",
        "Content-Type: application/json; charset=ISO-8859-1",
        "Content-Type: application/grpc",
        "Content-Type: text/x+json"
      })
  void bodyOfAnotherMediaTypeIsRejected(String header) {
    assertRefused(connection.post("/v1/check", GOOD, header), 415, "Content-Type");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "br", "deflate", "identity, gzip", "nonsense"})
  void compressedBodyIsRejected(String encoding) {
    var answer = connection.post("/v1/check", GOOD, "Content-Encoding: " + encoding);
    assertRefused(answer, 415, "Content-Encoding");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1",
        "/v1/",
        "/v1/check/",
        "/V1/check",
        "//v1/check",
        "/v1//check",
        "/v1/check/batchx",
        "/v1/../v1/check",
        "/v1/%63heck",
        "/v1/check%00",
        "/v1/rulez",
        "/health",
        "/health/",
        "/favicon.ico",
        "/v1/slots/",
        "/v1/slots/a/b",
        "/api/ratelimit",
        "/%2e%2e/etc/passwd",
        "/index.html",
        "/.",
        "/..",
        "/v1/check;x=1",
        "*",
        "x",
        "?",
        "/'\"<script>"
      })
  void unknownPathIsNotFound(String path) {
    var answer = connection.post(path, GOOD);
    assertRefused(answer, 404, "");
    assertThat(answer.body()).contains("GET / lists all endpoints");
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/v1/check,'OPTIONS, POST'", "PUT,/v1/check,'OPTIONS, POST'",
    "DELETE,/v1/check,'OPTIONS, POST'", "PATCH,/v1/check,'OPTIONS, POST'",
    "TRACE,/v1/check,'OPTIONS, POST'", "FOO,/v1/check,'OPTIONS, POST'",
    "get,/v1/check,'OPTIONS, POST'", "GET,/v1/check/batch,'OPTIONS, POST'",
    "GET,/v1/slots,'OPTIONS, POST'", "POST,/v1/slots/abc,'DELETE, OPTIONS, PUT'",
    "GET,/v1/slots/abc,'DELETE, OPTIONS, PUT'", "POST,/,'GET, HEAD, OPTIONS'",
    "DELETE,/health/live,'GET, HEAD, OPTIONS'", "POST,/health/ready,'GET, HEAD, OPTIONS'"
  })
  void unsupportedMethodIsRejectedWithTheSupportedOnes(String method, String path, String allow) {
    var answer = connection.request(method, path, "Content-Length: 0");
    assertThat(answer.header("Allow")).isEqualTo(allow);
    assertRefused(answer, 405, "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "abc",
        "AAAA",
        "%00",
        "U5LcYqtaNawAAQ",
        "a.b",
        "%C3%B6",
        "_-_-",
        "AAAAAAAAAAAAAQ"
      })
  void invalidSlotIdIsRejected(String id) {
    String path = "/v1/slots/" + id;
    assertRefused(connection.request("PUT", path, "Content-Length: 0"), 400, "id");
    assertRefused(connection.request("DELETE", path), 400, "id");
  }

  static List<String> notHttp() {
    return List.of(
        "\r\n\r\n\r\n\u0000",
        "hello\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9.9\r\n\r\n",
        "G\u0000T / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nBad Name: x\r\n\r\n",
        "GET / HTTP/1.1\r\nX: a\u0000b\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /v1/check HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /v1/check HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n");
  }

  @ParameterizedTest
  @MethodSource("notHttp")
  void invalidHttpIsAnsweredAndDisconnected(String text) {
    try (var other = service.connect()) {
      other.send(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
      assertRefused(other.read(), 400, "");
      assertThat(other.isClosedByServer()).isTrue();
    }
  }

  @Test
  void otherProtocolIsRejected() {
    try (var other = service.connect()) {
      other.send(RawConnection.bytes("GET / FTP/1.1\r\n\r\n"));
      assertThat(other.read().status()).isEqualTo(501);
      assertThat(other.isClosedByServer()).isTrue();
    }
  }

  @Test
  void tooLongRequestLineIsRejected() {
    try (var other = service.connect()) {
      other.send(RawConnection.head("GET /" + "x".repeat(9_000)));
      assertRefused(other.read(), 414, "");
    }
  }

  @Test
  void tooLongHeadersAreRejected() {
    try (var other = service.connect()) {
      other.send(RawConnection.head("GET /", "X-Long: " + "x".repeat(40_000)));
      assertRefused(other.read(), 431, "");
    }
  }

  @Test
  void hugeContentLengthIsRejectedBeforeTheBodyIsSent() {
    try (var other = service.connect()) {
      other.send(RawConnection.head("POST /v1/check", "Content-Length: 1000000000000"));
      var answer = other.read();
      assertRefused(answer, 413, "body");
      assertThat(answer.header("Connection")).isEqualTo("close");
      assertThat(other.isClosedByServer()).isTrue();
    }
  }

  @Test
  void expectContinueWithTooLongBodyIsRejected() {
    try (var other = service.connect()) {
      other.send(
          RawConnection.head("POST /v1/check", "Expect: 100-continue", "Content-Length: 70000"));
      assertRefused(other.read(), 413, "body");
    }
  }

  @Test
  void unknownExpectationIsRejected() {
    try (var other = service.connect()) {
      other.send(RawConnection.head("POST /v1/check", "Expect: miracles", "Content-Length: 17"));
      assertRefused(other.read(), 417, "Expect");
    }
  }
}
