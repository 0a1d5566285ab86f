package io.headgate.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests processes of the packaged program that share counters without Redis. */
class ClusterIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int LIMIT = 100;

  private static final String RULES =
      """
      rules:
        - { id: fixed, match: { key: "fixed:*" }, limit: { algorithm: fixed-window, rate: 100/30d } }
      """;

  @TempDir Path folder;

  private final HttpClient http = HttpClient.newHttpClient();

  private HeadgateProcess serve(int port, String join) throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
    return new HeadgateProcess(
        folder,
        Map.of("HEADGATE_CLUSTER_TIMEOUT", "20s"),
        "serve",
        "--port",
        "0",
        "--rules",
        "rules.yaml",
        "--data",
        Files.createTempDirectory(folder, "data").toString(),
        "--store",
        "cluster",
        "--cluster-port",
        Integer.toString(port),
        "--join",
        join);
  }

  @Test
  void instancesThatJoinEachOtherShareCountersWithoutRedis() throws Exception {
    var ports = FreePorts.find(2);
    var join = "127.0.0.1:%d,127.0.0.1:%d".formatted(ports.get(0), ports.get(1));
    var services = new ArrayList<HeadgateProcess>();
    try {
      for (int port : ports) services.add(serve(port, join));
      for (var service : services) {
        Eventually.holds(
            "both members own partitions",
            PATIENCE,
            () -> ready(service).contains("\"unbacked\":0"));
        assertThat(ready(service)).contains("\"kind\":\"cluster\"", "\"expected\":2");
      }
      int allowed = 0;
      for (int i = 0; i < 2 * LIMIT; i++) {
        if (check(services.get(i % 2)) == 200) allowed++;
      }
      assertThat(allowed).isEqualTo(LIMIT);

      // A reservation of one member is settled at the other.
      var made = post(services.get(0), "/v1/reservations", "{\"key\":\"fixed:2\",\"cost\":60}");
      var id = made.replaceAll(".*\"id\":\"([^\"]+)\".*", "$1");
      assertThat(made).contains("\"allowed\":true");
      assertThat(post(services.get(1), "/v1/reservations/" + id + "/settle", "{\"cost\":10}"))
          .contains("\"charged\"");
      assertThat(post(services.get(1), "/v1/peek", "{\"key\":\"fixed:2\"}"))
          .contains("\"remaining\":90");

      // A member that leaves in order hands its counters over.
      var left = services.removeLast();
      left.terminate();
      assertThat(left.exitCode()).as(left.err()).isZero();
      left.close();
      assertThat(check(services.getFirst())).isEqualTo(429);
      assertThat(ready(services.getFirst())).contains("\"expected\":1", "\"unavailable\":false");
    } finally {
      services.forEach(HeadgateProcess::close);
    }
  }

  @Test
  void memberThatOtherMachinesCanReachNeedsASecret() throws Exception {
    try (var service =
        new HeadgateProcess(
            folder,
            Map.of(),
            "serve",
            "--port",
            "0",
            "--store",
            "cluster",
            "--cluster-host",
            "0.0.0.0",
            "--join",
            "127.0.0.1:7574")) {
      assertThat(service.exitCode()).isEqualTo(2);
      assertThat(service.err()).contains("needs a cluster secret");
    }
  }

  private String ready(HeadgateProcess service) throws IOException, InterruptedException {
    var uri = URI.create("http://127.0.0.1:%d/health/ready".formatted(service.port()));
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  private String post(HeadgateProcess service, String path, String body)
      throws IOException, InterruptedException {
    var uri = URI.create("http://127.0.0.1:%d%s".formatted(service.port(), path));
    var request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  private static int check(HeadgateProcess service) {
    try (var client = new CheckClient(service.port())) {
      return client.ask("fixed:1").status();
    }
  }
}
