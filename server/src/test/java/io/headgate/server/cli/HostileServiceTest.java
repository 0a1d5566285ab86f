package io.headgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands against a service that collects tokens and replies with terminal escapes. */
class HostileServiceTest extends Shell {
  /** Clears the screen, sets the title, reverses the line; raw and as JSON's escapes. */
  private static final String EVIL =
      "\\u001b[2J\\u001b]0;owned\\u0007\u009b31m\u202e\\u202e\\u000afake: line\\r";

  private final List<String> tokens = Collections.synchronizedList(new ArrayList<>());
  private HttpServer server;
  private String body = "";
  private int status = 200;
  private long repeats = 1;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          var token = exchange.getRequestHeaders().getFirst("Authorization");
          if (token != null) tokens.add(token);
          exchange.getRequestBody().readAllBytes();
          var bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, repeats * bytes.length);
          for (long i = 0; i < repeats && bytes.length > 0; i++) {
            exchange.getResponseBody().write(bytes);
          }
          exchange.close();
        });
    server.start();
    body = "{\"allowed\":true,\"rule\":null,\"limits\":[]}";
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Test
  void endlessResponseIsCutOff() {
    environment.put("HEADGATE_URL", url());
    body = " ".repeat(1 << 16);
    repeats = 1 << 20; // 64 GB
    run("rules", "list");
    assertThat(code).isEqualTo(2);
    assertThat(err).contains(url(), "longer than 67108864 bytes");
  }

  @Test
  void responseWhoseEndNeverArrivesTimesOut() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var accepted =
          CompletableFuture.supplyAsync(() -> {
            try {
              var connection = socket.accept();
              connection
                  .getOutputStream()
                  .write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".getBytes(UTF_8));
              return connection;
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      environment.put("HEADGATE_URL", "http://127.0.0.1:" + socket.getLocalPort());
      run("status", "--timeout", "200ms");
      accepted.join().close();
    }
    assertThat(code).isEqualTo(2);
    assertThat(err).contains("did not respond within 200ms");
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"environment", "flag"})
  void tokenIsNotSentToTheUrlOfAFileInTheCurrentDirectory(String origin) throws IOException {
    file("headgate.yaml", "url: %s\n".formatted(url()));
    if (origin.equals("flag")) {
      run("check", "user:7", "--token", "s3cret");
    } else {
      environment.put("HEADGATE_TOKEN", "s3cret");
      run("check", "user:7");
    }
    assertThat(tokens).isEmpty();
    assertThat(code).isEqualTo(2);
    assertThat(err)
        .startsWith("headgate: the token from ")
        .contains("is not sent to " + url(), "headgate.yaml", "--url or HEADGATE_URL", "--config")
        .contains(origin.equals("flag") ? "--token" : "HEADGATE_TOKEN")
        .doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"explain user:7", "rules list", "rules apply x.yaml", "status", "blocks"})
  void noCommandSendsIt(String line) throws IOException {
    file("headgate.yaml", "url: %s\n".formatted(url()));
    file("x.yaml", "rules: []\n");
    environment.put("HEADGATE_TOKEN", "s3cret");
    run(line.split(" ", -1));
    assertThat(tokens).isEmpty();
    assertThat(code).isEqualTo(2);
  }

  @Test
  void tokenIsNotSentToAServiceThatOnlyAFileInTheCurrentDirectoryTrusts() throws IOException {
    file("headgate.yaml", "ca: ca.pem\n");
    environment.put("HEADGATE_URL", url());
    environment.put("HEADGATE_TOKEN", "s3cret");
    run("check", "user:7");
    assertThat(tokens).isEmpty();
    assertThat(code).isEqualTo(2);
    assertThat(err).contains("ca in ", "--ca or HEADGATE_CA").doesNotContain("s3cret");
  }

  @Test
  void tokenThatIsNoHeaderValueIsNotPrinted() {
    environment.put("HEADGATE_URL", url());
    run("check", "user:7", "--token", "s3cret\nX-Other: 1");
    assertThat(err).contains("a token consists of visible ASCII").doesNotContain("s3cret");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void tokenOfTheSameFileIsSentToItsUrl() throws IOException {
    file("headgate.yaml", "url: %s\ntoken: fr0mfile\n".formatted(url()));
    run("check", "user:7");
    assertThat(code).isEqualTo(0);
    assertThat(tokens).containsExactly("Bearer fr0mfile");
  }

  @Test
  void tokenOfTheEnvironmentIsNotSentToTheUrlOfTheFile() throws IOException {
    file("headgate.yaml", "url: %s\ntoken: fr0mfile\n".formatted(url()));
    environment.put("HEADGATE_TOKEN", "s3cret");
    run("check", "user:7");
    assertThat(code).isEqualTo(2);
    assertThat(tokens).isEmpty();
  }

  @Test
  void urlChosenByTheUserReceivesTheToken() throws IOException {
    file("headgate.yaml", "url: http://127.0.0.1:1\n");
    environment.put("HEADGATE_TOKEN", "s3cret");
    run("check", "user:7", "--url", url());
    assertThat(code).isEqualTo(0);
    environment.put("HEADGATE_URL", url());
    run("check", "user:7");
    assertThat(code).isEqualTo(0);
    environment.remove("HEADGATE_URL");
    file("mine.yaml", "url: %s\n".formatted(url()));
    run("check", "user:7", "--config", "mine.yaml");
    assertThat(code).isEqualTo(0);
    assertThat(tokens).hasSize(3).containsOnly("Bearer s3cret");
  }

  @Test
  void urlOfTheFileIsUsedWithoutAToken() throws IOException {
    file("headgate.yaml", "url: %s\n".formatted(url()));
    run("check", "user:7");
    assertThat(code).isEqualTo(0);
    assertThat(tokens).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        check user:7|{"allowed":true,"rule":"@","limits":[{"rule":"@","name":"x"},{"rule":"@"}],
        "id":"@","shadow":["@"]}\
        """,
        """
        explain user:7|{"rules":[{"id":"@","reason":"@","conditions":[{"attribute":"@","value":"@"}],
        "limits":[{"name":"@","algorithm":"@"}]}],"nearMisses":[{"id":"@","reason":"@"}]}\
        """,
        """
        rules list|{"rules":[{"id":"@","mode":"@","match":{"@":["@"]},"per":["@"],
        "limit":{"algorithm":"@","rate":"@"}}]}\
        """,
        """
        rules history|{"revisions":[{"number":1,"at":"@","author":"@","message":"@"}]}\
        """,
        """
        rules diff 2|{"diff":{"changes":[{"id":"@","change":"@","fields":[{"field":"@",
        "before":"@","after":"@"}]}],"moves":[{"id":"@","after":"@"}]}}\
        """,
        """
        rules delete x --dry-run|{"revision":{"number":1},"readOnly":"@","diff":{},"callers":{
        "sampled":1,"affected":1,"list":[{"subject":{"@":"@"},"rules":[{"id":"@","change":"@"}]}]}}\
        """,
        """
        callers|{"now":1,"callers":[{"caller":"@","rules":["@"]}]}\
        """,
        """
        slots acquire user:7|{"allowed":true,"rule":"@","id":"@"}\
        """,
        "blocks|{\"rules\":[{\"id\":\"block-@\",\"limit\":\"deny\",\"match\":{\"@\":\"@\"},\"description\":\"@\"}]}",
        "check user:7|{\"detail\":\"@\"}",
        "rules list|{\"detail\":\"@\"}",
        "rules show x|{\"id\":\"@\",\"@\":1}",
        "rules export|rules: [] # @ \u001b[2J \u009b1m",
      })
  void escapesOfAResponseDoNotReachTheTerminal(String exchange) throws IOException {
    var line = exchange.split("\\|", 2)[0].split(" ", -1);
    body = exchange.split("\\|", 2)[1].replace("@", EVIL);
    if (body.contains("detail")) status = 403;
    environment.put("HEADGATE_URL", url());
    run(line);
    assertThat(out + err).isNotBlank().matches(HostileServiceTest::isHarmless);
    assertThat((out + err).lines()).noneMatch(text -> text.startsWith("fake: line"));

    if (Set.of(line).stream().anyMatch(Set.of("export", "show", "blocks")::contains)
        || status != 200) return;
    var args = new ArrayList<>(List.of(line));
    args.add("--json");
    run(args.toArray(String[]::new));
    assertThat(out).isNotBlank().matches(HostileServiceTest::isHarmless);
    assertThat(tree(out)).isEqualTo(tree(body));
  }

  private static boolean isHarmless(String text) {
    return text.chars()
        .allMatch(c ->
            c == '\n' || (!Character.isISOControl(c) && Character.getType(c) != Character.FORMAT));
  }

  /** Returns all tokens and strings of a JSON text. */
  private static List<String> tree(String json) throws IOException {
    var all = new ArrayList<String>();
    try (var parser = new JsonFactory().createParser(json)) {
      while (parser.nextToken() != null) all.add(parser.currentToken() + " " + parser.getText());
    }
    return all;
  }
}
