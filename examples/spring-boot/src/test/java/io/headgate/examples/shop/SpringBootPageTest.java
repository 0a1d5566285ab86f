package io.headgate.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;

/** Checks that the examples of {@code docs/spring-boot.md} are parts of the sample. */
class SpringBootPageTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```");
  private static final Path PAGE = Path.of("../../docs/spring-boot.md");

  private static List<String> blocks(String language) throws IOException {
    return BLOCK
        .matcher(Files.readString(PAGE))
        .results()
        .filter(block -> block.group(1).equals(language))
        .map(block -> block.group(2))
        .toList();
  }

  private static String joined(Stream<String> lines) {
    return lines.map(String::strip).collect(Collectors.joining(" "));
  }

  @Test
  void everyJavaExampleIsPartOfTheSample() throws IOException {
    var sample = Path.of("src/main/java/io/headgate/examples/shop/Invoices.java");
    var test = Path.of("src/test/java/io/headgate/examples/shop/ShopLimitsTest.java");
    var program =
        joined(
            Stream.concat(Files.readAllLines(sample).stream(), Files.readAllLines(test).stream()));
    var examples = blocks("java");
    assertThat(examples).hasSize(3);
    for (var example : examples) {
      for (var part : example.split("\n\n", -1)) {
        assertThat(program).contains(joined(part.lines()));
      }
    }
  }

  @Test
  void rulesOnThePageAreThoseOfTheSample() throws IOException {
    assertThat(blocks("yaml"))
        .containsExactly(Files.readString(Path.of("src/main/resources/headgate.yaml")));
  }

  @Test
  void dependencyOnThePageHasTheVersionOfTheBuild() throws IOException {
    var pom = Files.readString(Path.of("../../pom.xml"));
    var version = Pattern.compile("<version>([^<]+)</version>").matcher(pom);
    assertThat(version.find()).isTrue();
    assertThat(blocks("xml").getFirst())
        .contains("<artifactId>headgate-spring-boot-starter</artifactId>", version.group());
  }

  /** The response is the one of the page after as many requests as the rule allows. */
  @Test
  void deniedRequestHasTheResponseOnThePage() throws Exception {
    var expected = new ArrayList<>(blocks("http").getFirst().lines().toList());
    assertThat(expected.removeFirst()).isEqualTo("GET /products HTTP/1.1");
    try (var shop =
            SpringApplication.run(
                ShopApplication.class,
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off");
        var client = HttpClient.newHttpClient()) {
      var port = shop.getEnvironment().getRequiredProperty("local.server.port");
      var uri = URI.create("http://127.0.0.1:" + port + "/products");
      var request = HttpRequest.newBuilder(uri).build();
      HttpResponse<String> response;
      int allowed = 0;
      do {
        response = client.send(request, HttpResponse.BodyHandlers.ofString());
        allowed++;
      } while (response.statusCode() == 200);
      assertThat(allowed).isGreaterThan(10);
      assertThat(expected.remove(1)).isEqualTo("HTTP/1.1 " + response.statusCode());
      assertThat(expected.removeLast()).isEqualTo(response.body());
      for (var line : expected) {
        if (line.isEmpty()) continue;
        int colon = line.indexOf(':');
        var actual = response.headers().firstValue(line.substring(0, colon)).orElse("(none)");
        assertThat(withoutTimes(actual)).isEqualTo(withoutTimes(line.substring(colon + 2)));
      }
    }
  }

  /** The time to the next permit is up to 6 s. */
  private static String withoutTimes(String value) {
    return value.replaceAll("^[1-6]$|;t=[1-6]$", "(time)");
  }
}
