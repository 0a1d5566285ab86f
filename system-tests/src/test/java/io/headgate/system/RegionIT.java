package io.headgate.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs three regions as processes of the packaged program, each with a Redis of its own. Home is 2,
 * 80 and 150 ms away, behind a proxy for each region.
 */
class RegionIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final List<String> NAMES = List.of("eu", "us", "ap");
  private static final List<Integer> ONE_WAY_MILLIS = List.of(1, 40, 75);
  private static final int EU = 0;
  private static final int US = 1;
  private static final int AP = 2;
  private static final int RATE = 100;
  private static final int BURST = 50;
  private static final String RULES =
      """
      rules:
        - { id: shared, match: { key: "*" }, limit: { algorithm: token-bucket, rate: %d/1s, burst: %d } }
      """
          .formatted(RATE, BURST);

  @TempDir Path folder;

  private final HttpClient http = HttpClient.newHttpClient();
  private final RedisServer home = RedisServer.start();
  private final List<RedisServer> regional = new ArrayList<>();
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<HeadgateProcess> services = new ArrayList<>();
  private final RegionTraffic traffic = new RegionTraffic(NAMES.size());

  @BeforeEach
  void startRegions() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
    home.call("SET", "headgate:home:ready", "new");
    for (int i = 0; i < NAMES.size(); i++) {
      regional.add(RedisServer.start());
      proxies.add(FaultProxy.to(home.port()));
      services.add(serve(i));
    }
    for (int i = 0; i < NAMES.size(); i++) {
      awaitHome(i, true);
      heal(i);
      traffic.start(i, services.get(i).port());
    }
  }

  @AfterEach
  void stop() {
    traffic.close();
    services.forEach(HeadgateProcess::close);
    proxies.forEach(FaultProxy::close);
    regional.forEach(RedisServer::close);
    home.close();
    http.close();
  }

  private HeadgateProcess serve(int region) throws IOException {
    return new HeadgateProcess(
        folder,
        Map.of("HEADGATE_STORE_TIMEOUT", "5s"),
        "serve",
        "--port",
        "0",
        "--rules-mode",
        "file",
        "--rules",
        "rules.yaml",
        "--data",
        Files.createTempDirectory(folder, "data").toString(),
        "--region",
        NAMES.get(region),
        "--store",
        regional.get(region).uri(),
        "--home",
        "redis://127.0.0.1:" + proxies.get(region).port(),
        "--region-lease",
        LEASE.toSeconds() + "s");
  }

  private void heal(int region) {
    proxies.get(region).delay(Duration.ofMillis(ONE_WAY_MILLIS.get(region)));
  }

  private void awaitHome(int region, boolean ready) {
    Eventually.holds(
        "home of %s is ready: %s".formatted(NAMES.get(region), ready),
        PATIENCE,
        () -> ready(region).contains("\"ready\":" + ready));
  }

  private String ready(int region) throws IOException, InterruptedException {
    var uri = URI.create("http://127.0.0.1:%d/health/ready".formatted(services.get(region).port()));
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  @Test
  void regionsNeverAdmitMoreThanTheLimitWhateverFails() throws Exception {
    for (int i = 0; i < NAMES.size(); i++) traffic.awaitAdmitted(i, 25);
    long steady = traffic.admitted();

    // Home is cut off from two regions: they spend their shares, and then deny.
    proxies.get(US).blackhole();
    proxies.get(AP).blackhole();
    traffic.awaitSource(US, "region");
    traffic.awaitSource(AP, "region");
    traffic.awaitAdmitted(EU, 25);
    heal(US);
    heal(AP);
    traffic.awaitAdmitted(US, 10);
    traffic.awaitAdmitted(AP, 10);

    // Home executes the requests of a region, and its replies are lost.
    proxies.get(US).loseReplies();
    traffic.awaitSource(US, "region");
    traffic.awaitAdmitted(EU, 25);
    heal(US);
    traffic.awaitAdmitted(US, 10);

    // A region is killed and forgets its share, which home keeps until its lease ends.
    services.get(AP).kill();
    services.set(AP, serve(AP));
    int port = services.get(AP).port();
    traffic.start(AP, port);
    traffic.awaitAdmitted(AP, 10);

    // Home forgets all shares, so it grants none for one lease.
    home.kill();
    long restarted = System.nanoTime();
    home.restart();
    awaitHome(EU, false);
    for (int i = 0; i < NAMES.size(); i++) traffic.awaitAdmitted(i, 10);
    assertThat(home.call("GET", "headgate:home:ready").text()).doesNotStartWith("0:");
    long granted = traffic.endOfLongestPauseSince(restarted);
    traffic.close();

    assertThat(traffic.failures()).isEmpty();
    assertThat(traffic.excess(RATE, BURST)).as("over-admission").isLessThanOrEqualTo(0);
    assertThat(steady).isGreaterThan(BURST);
    // The shares of the regions may be spent for a while after that, and then nothing is admitted.
    assertThat(granted - restarted)
        .as("nanoseconds until home grants again")
        .isGreaterThanOrEqualTo(LEASE.toNanos());
  }
}
