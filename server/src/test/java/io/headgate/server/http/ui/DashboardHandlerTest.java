package io.headgate.server.http.ui;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.server.http.RunningService;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dashboard as served to browsers. */
class DashboardHandlerTest {
  private static final String BROWSER =
      "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";

  private static final RunningService SERVICE =
      RunningService.withTokens(
          "adm1n", "ch3ck", Rule.named("all").limit(TokenBucket.of(Rate.perSecond(1))).build());

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @AfterAll
  static void stop() {
    CLIENT.close();
    SERVICE.close();
  }

  private static HttpResponse<byte[]> get(String path, String... headers) throws Exception {
    return send("GET", path, headers);
  }

  private static HttpResponse<byte[]> send(String method, String path, String... headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + SERVICE.port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) request.headers(headers);
    return CLIENT.send(request.build(), BodyHandlers.ofByteArray());
  }

  private static String header(HttpResponse<?> answer, String name) {
    return answer.headers().firstValue(name).orElse("(none)");
  }

  private static List<String> assets() throws Exception {
    var page = new String(get("/", "Accept", BROWSER).body(), UTF_8);
    return Pattern.compile("(?:src|href)=\"(/assets/[^\"]+)\"")
        .matcher(page)
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  @Test
  void browserGetsThePageWithoutAToken() throws Exception {
    var answer = get("/", "Accept", BROWSER);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(header(answer, "Content-Type")).isEqualTo("text/html; charset=utf-8");
    assertThat(header(answer, "Cache-Control")).isEqualTo("no-cache");
    assertThat(header(answer, "Content-Security-Policy"))
        .contains("script-src 'self'", "form-action 'none'", "frame-ancestors 'none'");
    assertThat(header(answer, "Vary")).isEqualTo("Accept, Accept-Encoding");
    assertThat(new String(answer.body(), UTF_8)).contains("<div id=\"root\">");
  }

  /** The content security policy forbids inline scripts and styles. */
  @Test
  void pageHasNoInlineScriptsOrStyles() throws Exception {
    var page = new String(get("/", "Accept", BROWSER).body(), UTF_8);
    assertThat(page).doesNotContain("<style", "style=", "javascript:", "http://", "https://");
    assertThat(page).doesNotContainPattern("<script(?![^>]* src=)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"*/*", "application/json", "text/html;q=0, application/json"})
  void programGetsTheServiceInfo(String accept) throws Exception {
    var answer = get("/", "Accept", accept);
    assertThat(header(answer, "Content-Type")).isEqualTo("application/json");
    assertThat(new String(answer.body(), UTF_8)).startsWith("{\"service\":\"Headgate\",");
  }

  @Test
  void everyAssetOfThePageIsServedAsImmutable() throws Exception {
    assertThat(assets()).hasSizeGreaterThanOrEqualTo(3);
    for (var path : assets()) {
      var answer = get(path);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      assertThat(header(answer, "Cache-Control")).contains("immutable", "max-age=31536000");
      assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(header(answer, "Content-Type")).isEqualTo(typeOf(path));
      assertThat(answer.body()).isNotEmpty();
    }
  }

  private static String typeOf(String path) {
    if (path.endsWith(".js")) return "text/javascript; charset=utf-8";
    return path.endsWith(".css") ? "text/css; charset=utf-8" : "image/svg+xml";
  }

  @Test
  void compressionIsNegotiated() throws Exception {
    for (var path : assets()) {
      var plain = get(path);
      var small = get(path, "Accept-Encoding", "br, gzip");
      assertThat(header(plain, "Content-Encoding")).isEqualTo("(none)");
      assertThat(header(small, "Content-Encoding")).isEqualTo("gzip");
      assertThat(header(small, "Vary")).isEqualTo("Accept-Encoding");
      assertThat(header(small, "ETag")).isNotEqualTo(header(plain, "ETag"));
      assertThat(unpacked(small.body())).isEqualTo(plain.body());
      assertThat(header(get(path, "Accept-Encoding", "gzip;q=0"), "Content-Encoding"))
          .isEqualTo("(none)");
    }
  }

  private static byte[] unpacked(byte[] bytes) throws IOException {
    try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    }
  }

  @Test
  void matchingETagIsAnsweredWith304() throws Exception {
    String tag = header(get("/", "Accept", BROWSER), "ETag");
    var again = get("/", "Accept", BROWSER, "If-None-Match", tag);
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    assertThat(get("/", "Accept", BROWSER, "If-None-Match", "\"other\"").statusCode())
        .isEqualTo(200);
  }

  @Test
  void headReportsTheContentLength() throws Exception {
    String path = assets().getFirst();
    var head = send("HEAD", path);
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(header(head, "Content-Length")).isEqualTo(String.valueOf(get(path).body().length));
    assertThat(header(send("HEAD", "/", "Accept", BROWSER), "Content-Type"))
        .isEqualTo("text/html; charset=utf-8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/assets/none.js", "/assets/..%2findex.html", "/assets/files.txt", "/assets/"})
  void unknownAssetIsNotFound(String path) throws Exception {
    var answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(header(answer, "Content-Type")).isEqualTo("application/problem+json");
  }

  @Test
  void assetsRejectOtherMethods() throws Exception {
    assertThat(send("POST", "/assets/none.js").statusCode()).isEqualTo(405);
  }
}
