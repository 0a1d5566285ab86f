package io.headgate.server.simulation.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.simulation.Arrival;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with lines as servers write them. */
class AccessLogTest {
  private static final String ALL =
      """
      rules:
        - id: all
          match: { ip: "*", user: "*", method: "*", path: "*", user-agent: "*" }
          limits: [{ algorithm: token-bucket, rate: 1/1s, cost: bytes }]
      """;

  private final List<Arrival> arrivals = new ArrayList<>();

  private AccessLog log(String rules, Map<String, String> mapped, AccessLog.Format format) {
    var attributes =
        Attributes.of(RequiredFields.of(List.of(RuleSet.of(RuleFile.read(rules)))), mapped);
    return new AccessLog(attributes, format, false, arrivals::add);
  }

  private AccessLog read(byte[] text) throws IOException {
    var log = log(ALL, Map.of(), AccessLog.Format.AUTO);
    log.read(new ByteArrayInputStream(text));
    return log;
  }

  private AccessLog read(String text) throws IOException {
    return read(text.getBytes(UTF_8));
  }

  private Map<String, String> attributes() {
    assertThat(arrivals).hasSize(1);
    return arrivals.getFirst().request().subject().attributes();
  }

  @Test
  void commonFormatOfApache() throws IOException {
    read(
        "127.0.0.1 - frank [10/Oct/2026:13:55:36 -0700] \"GET /apache_pb.gif HTTP/1.0\" 200 2326\n");
    assertThat(attributes())
        .isEqualTo(
            Map.of("ip", "127.0.0.1", "user", "frank", "method", "GET", "path", "/apache_pb.gif"));
    assertThat(arrivals.getFirst().micros()).isEqualTo(1_791_665_736_000_000L);
    assertThat(arrivals.getFirst().coarse()).isTrue();
    assertThat(arrivals.getFirst().request().costs()).isEqualTo(Map.of("bytes", 2326L));
  }

  @Test
  void combinedFormatOfNginxWithIpv6AndTrailingFields() throws IOException {
    read(
        "2001:db8::7 - - [10/Oct/2026:13:55:36 +0530] \"POST /a/b?c=d&e HTTP/2.0\" 499 0 \"https://x.example/?q=\\x22\" \"Mozilla/5.0 (\\x22odd\\x22; \\\\)\" \"10.0.0.1\"");
    assertThat(attributes())
        .isEqualTo(
            Map.of(
                "ip",
                "2001:db8::7",
                "method",
                "POST",
                "path",
                "/a/b",
                "user-agent",
                "Mozilla/5.0 (\"odd\"; \\)"));
  }

  @Test
  void escapedQuotesOfApacheAreDecoded() throws IOException {
    read(
        "10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /a\\\"b HTTP/1.1\" 200 - \"-\" \"x \\\"y\\\"\"");
    assertThat(attributes()).containsEntry("path", "/a\"b").containsEntry("user-agent", "x \"y\"");
    assertThat(arrivals.getFirst().request().costs()).isEmpty();
  }

  @Test
  void userNameMayContainSpaces() throws IOException {
    read("10.0.0.1 - Ann [B] Smith [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1");
    assertThat(arrivals).isEmpty(); // the bracket is mistaken for that of the time
    read("10.0.0.1 - Ann Smith [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1");
    assertThat(attributes()).containsEntry("user", "Ann Smith");
  }

  @ParameterizedTest
  @CsvSource({"''", "-", "\\x16\\x03\\x01", "GET", "'GET /only'"})
  void malformedRequestLineIsStillARequest(String request) throws IOException {
    read("10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"" + request + "\" 400 150 \"-\" \"-\"");
    assertThat(attributes()).containsEntry("ip", "10.0.0.1").doesNotContainKey("user");
  }

  @Test
  void invalidUtf8IsReplaced() throws IOException {
    read(
        "10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /caf\u00e9 HTTP/1.1\" 200 1"
            .getBytes(ISO_8859_1));
    assertThat(attributes()).containsEntry("path", "/caf\ufffd");
  }

  @Test
  void jsonFieldNamesOfCommonServersAreRecognized() throws IOException {
    read(
        """
        {"time":"2026-10-10T13:55:36+00:00","remote_addr":"10.0.0.1","remote_user":"","request":"GET /a?b HTTP/1.1","status":200,"body_bytes_sent":512,"http_user_agent":"curl"}
        {"ts":1791640536.25,"request":{"remote_ip":"10.0.0.2","method":"PUT","uri":"/c?d","headers":{"User-Agent":["x","y"]}},"user_id":"ann","size":7,"status":201}
        {"ClientHost":"10.0.0.3","ClientUsername":"-","RequestMethod":"GET","RequestPath":"/t","StartUTC":"2026-10-10T13:55:36.5Z","DownstreamContentSize":9}
        """);
    assertThat(arrivals).hasSize(3);
    assertThat(arrivals.get(0).request().subject().attributes())
        .isEqualTo(Map.of("ip", "10.0.0.1", "method", "GET", "path", "/a", "user-agent", "curl"));
    assertThat(arrivals.get(0).request().costs()).containsEntry("bytes", 512L);
    assertThat(arrivals.get(0).coarse()).isTrue();
    assertThat(arrivals.get(1).request().subject().attributes())
        .isEqualTo(
            Map.of(
                "ip", "10.0.0.2", "user", "ann", "method", "PUT", "path", "/c", "user-agent", "x"));
    assertThat(arrivals.get(1).micros()).isEqualTo(1_791_640_536_250_000L);
    assertThat(arrivals.get(2).request().subject().attributes())
        .isEqualTo(Map.of("ip", "10.0.0.3", "method", "GET", "path", "/t"));
    assertThat(arrivals.get(2).coarse()).isFalse();
  }

  @Test
  void attributeIsBuiltFromItsTemplate() throws IOException {
    var log =
        log(
            "rules: [{ id: a, match: { key: 'user:*', tenant: '*', agent: '*' }, limit: { algorithm: token-bucket, rate: 1/1s } }]",
            Map.of("key", "user:{user}@{remote_addr}", "tenant", "request.headers.X-Tenant"),
            AccessLog.Format.AUTO);
    log.read(
        new ByteArrayInputStream(
            """
            10.0.0.1 - ann [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1
            {"time":1791640536,"user":"bob","remote_addr":"10.0.0.2","request":{"headers":{"X-Tenant":["acme"]}}}
            """
                .getBytes(UTF_8)));
    assertThat(arrivals.get(0).request().subject().attributes())
        .isEqualTo(Map.of("key", "user:ann@10.0.0.1", "user", "ann", "ip", "10.0.0.1"));
    assertThat(arrivals.get(1).request().subject().attributes())
        .isEqualTo(
            Map.of("key", "user:bob@10.0.0.2", "tenant", "acme", "user", "bob", "ip", "10.0.0.2"));
    assertThat(log.missing()).containsExactly("agent");
  }

  @Test
  void keyIsTheUserOrElseTheAddress() throws IOException {
    var log =
        log(
            "rules: [{ id: a, match: { key: '*' }, limit: { algorithm: token-bucket, rate: 1/1s } }]",
            Map.of(),
            AccessLog.Format.COMMON);
    log.read(
        new ByteArrayInputStream(
            """
            10.0.0.1 - ann [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1
            10.0.0.2 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1
            """
                .getBytes(UTF_8)));
    assertThat(arrivals)
        .extracting(arrival -> arrival.request().subject().attribute("key").orElseThrow())
        .containsExactly("ann", "10.0.0.2");
  }

  @Test
  void unreadableLinesAreCountedAndTheFirstAreReported() throws IOException {
    var log =
        read(
            "\n  \nnonsense\n{\"time\":\"x\"}\n{\"time\":\n[1]\n"
                + "10.0.0.1 - - [10/Oct/1926:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1\n"
                + "x".repeat(70_000)
                + "\n10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1\r\n");
    assertThat(log.lines()).isEqualTo(1);
    assertThat(log.unreadable()).isEqualTo(6);
    assertThat(log.samples())
        .hasSize(5)
        .anyMatch(sample ->
            sample.matches("line 3: is not in common or combined log format, such as .*: nonsense"))
        .anyMatch(sample -> sample.startsWith("line 4: has no time that can be read"))
        .anyMatch(sample -> sample.startsWith("line 5: is not a JSON object"))
        .anyMatch(sample -> sample.startsWith("line 7: has no time such as ["));
    assertThat(attributes()).containsEntry("ip", "10.0.0.1");
  }

  @Test
  void overlongLineIsSkipped() throws IOException {
    var log = read("x".repeat(3_000_000) + "\n" + "y".repeat(3_000_000));
    assertThat(log.unreadable()).isEqualTo(2);
    assertThat(log.samples())
        .containsExactly(
            "line 1: is longer than 65536 bytes", "line 2: is longer than 65536 bytes");
  }

  @Test
  void gzipAndByteOrderMarkAreRecognized() throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(compressed)) {
      out.write(
          "\ufeff10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1"
              .getBytes(UTF_8));
    }
    read(compressed.toByteArray());
    assertThat(attributes()).containsEntry("ip", "10.0.0.1");
    assertThat(read(new byte[0]).lines()).isZero();
  }

  @Test
  void overlongValueIsTruncated() throws IOException {
    read(
        "10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /"
            + "a".repeat(5_000)
            + " HTTP/1.1\" 200 1");
    assertThat(attributes().get("path")).hasSize(1_024);
  }

  @ParameterizedTest
  @CsvSource({
    "{user,has a { that is not closed",
    "a{},names no field in {}",
    "'',is empty",
    "user},has a } without a {",
    "a}{user},has a } without a {",
    "{user}},has a } without a {",
  })
  void invalidTemplateIsRejected(String text, String problem) {
    assertThatThrownBy(() -> Attributes.of(RequiredFields.of(List.of()), Map.of("key", text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void overlongTemplateIsRejectedAndItsValueIsTruncated() throws IOException {
    assertThatThrownBy(
            () -> Attributes.of(RequiredFields.of(List.of()), Map.of("key", "x".repeat(1_025))))
        .hasMessageContaining("a template of 1025 characters is too long");
    log(ALL, Map.of("key", "{path}".repeat(100)), AccessLog.Format.AUTO)
        .read(line("GET /" + "a".repeat(60_000) + " HTTP/1.1"));
    assertThat(attributes().get("key")).hasSize(1_024);
  }

  private static ByteArrayInputStream line(String request) {
    return new ByteArrayInputStream(
        ("10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"" + request + "\" 200 1").getBytes(UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "example.com:443 1.2.3.4 - -,example.com,1.2.3.4,",
    "example.com:80 2001:db8::7 - Ann Smith,example.com,2001:db8::7,Ann Smith",
    "[2001:db8::1]:443 1.2.3.4 - -,[2001:db8::1],1.2.3.4,",
    "example.com 1.2.3.4 - ann,example.com,1.2.3.4,ann",
    "10.0.0.9:443 client.example - -,10.0.0.9,client.example,",
    "2001:db8::7 - -,,2001:db8::7,",
    "2001:db8::7 ident ann b,,2001:db8::7,ann b",
    "1.2.3.4 ident ann b,,1.2.3.4,ann b",
    "1.2.3.4:5678 - -,,1.2.3.4:5678,",
  })
  void serverNameMayPrecedeTheClient(
      String words, @Nullable String host, String ip, @Nullable String user) throws IOException {
    var log = log(ALL, Map.of("server", "host"), AccessLog.Format.AUTO);
    log.read(
        new ByteArrayInputStream(
            (words + " [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"x [y]\"")
                .getBytes(UTF_8)));
    assertThat(log.samples()).isEmpty();
    assertThat(attributes()).containsEntry("ip", ip).containsEntry("path", "/a");
    assertThat(attributes().get("server")).isEqualTo(host);
    assertThat(attributes().get("user")).isEqualTo(user);
  }

  @ParameterizedTest
  @CsvSource({
    "https://example.com/login?x=1,/login",
    "http://example.com:8080?x=/y,/",
    "HTTP://example.com,/",
    "/redirect?to=https://example.com/,/redirect",
    "/a://b,/a://b",
    "*,*",
    "example.com:443,example.com:443",
  })
  void pathIsExtractedFromAnAbsoluteUrl(String target, String path) throws IOException {
    read("{\"ts\":1791640536,\"url\":\"" + target + "\"}");
    assertThat(attributes()).containsEntry("path", path);
    arrivals.clear();
    read("{\"ts\":1791640536,\"request\":\"GET " + target + " HTTP/1.1\"}");
    assertThat(attributes()).containsEntry("path", path);
    arrivals.clear();
    log(ALL, Map.of(), AccessLog.Format.AUTO).read(line("GET " + target + " HTTP/1.1"));
    assertThat(attributes()).containsEntry("path", path);
  }

  @Test
  void queryOfAnAbsoluteUrlIsKeptOnRequest() throws IOException {
    var required = RequiredFields.of(List.of(RuleSet.of(RuleFile.read(ALL))));
    var log =
        new AccessLog(
            Attributes.of(required, Map.of()), AccessLog.Format.AUTO, true, arrivals::add);
    log.read(line("GET https://example.com?x=1 HTTP/1.1"));
    assertThat(attributes()).containsEntry("path", "/?x=1");
  }

  @Test
  void headerNamesOfCaddyAreRecognized() throws IOException {
    log(ALL, Map.of("from", "referer"), AccessLog.Format.AUTO)
        .read(
            new ByteArrayInputStream(
                """
                {"ts":1791640536.25,"request":{"remote_ip":"10.0.0.2","headers":{"User-Agent":["curl"],"Referer":["https://x.example/"]}}}
                """
                    .getBytes(UTF_8)));
    assertThat(attributes())
        .containsEntry("user-agent", "curl")
        .containsEntry("from", "https://x.example/");
  }

  private static String rules(int count, String body) {
    var rules = new StringBuilder("rules:\n");
    for (int i = 0; i < count; i++) {
      rules.append("  - { id: r%d, %s }\n".formatted(i, body.replace("#", "" + i)));
    }
    return rules.toString();
  }

  private static String fields(int count) {
    var line = new StringBuilder("{\"ts\":1791640536");
    for (int i = 0; i < count; i++) line.append(",\"a%d\":%d".formatted(i, i));
    return line.append("}\n").toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "match: { a#: '*' }, limit: { algorithm: token-bucket, rate: 1/1s }",
        "limit: { algorithm: token-bucket, rate: 1/1s, cost: a# }"
      })
  void lineWithTooManyFieldsIsRejected(String body) throws IOException {
    var log = log(rules(40, body), Map.of(), AccessLog.Format.AUTO);
    log.read(new ByteArrayInputStream((fields(40) + fields(5)).getBytes(UTF_8)));
    assertThat(log.lines()).isEqualTo(1);
    assertThat(log.samples())
        .singleElement()
        .asString()
        .startsWith(
            "line 1: has more fields used by the rules than a request may have: 32 attributes");
  }

  @Test
  void rulesWithTooManyAttributesAreRejected() {
    String many = rules(300, "match: { a#: '*' }, limit: { algorithm: token-bucket, rate: 1/1s }");
    var set = RuleSet.of(RuleFile.read(many));
    assertThatThrownBy(() -> RequiredFields.of(List.of(set)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use 300 attributes, but a log can be read for at most 256");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 65})
  void attributeNameLengthIsValidated(int length) {
    assertThatThrownBy(
            () -> Attributes.of(RequiredFields.of(List.of()), Map.of("n".repeat(length), "ip")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name must have 1 to 64 characters, got " + length);
  }
}
