package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class BareServerTest {
  @Test
  void returnsTheGivenResponseAndEndsOnClose() throws Exception {
    var command =
        List.of(
            BenchmarkContext.java(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            BenchmarkContext.classPath(),
            BareServer.class.getName(),
            "{\"a\":1}",
            "X-One",
            "1");
    try (var server = new HttpServer(command, Path.of("."));
        var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.address() + "/v1/check"))
              .POST(BodyPublishers.ofString("{}"))
              .build();
      var answer = client.send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{\"a\":1}");
      assertThat(answer.headers().firstValue("x-one")).hasValue("1");
      assertThat(server.cpu()).hasValueSatisfying(cpu -> assertThat(cpu).isPositive());
    }
  }
}
