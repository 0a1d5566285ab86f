package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.testkit.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that long-lived streams and connections give back their places in whatever order their ends
 * arrive: an end of the request, a reset, both in one write, a closed connection, before and after
 * the first response.
 */
class ReturnedPlacesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String WATCH = "/grpc.health.v1.Health/Watch";
  private static final String QUOTAS =
      "/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas";
  private static final int ROUNDS = 60;

  private final Random random = new Random(31);
  private final GrpcService service =
      GrpcService.with(
          Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(9))).build());

  @AfterEach
  void stop() {
    service.close();
  }

  private double used(String budget) {
    return GrpcMetricsTest.series(
        service.port(), "headgate_budget_used{budget=\"%s\"}".formatted(budget));
  }

  private double refused(String budget) {
    return GrpcMetricsTest.series(
        service.port(), "headgate_budget_refused_total{budget=\"%s\"}".formatted(budget));
  }

  private void awaitUnused(String budget) {
    Eventually.holds(budget + " are given back", PATIENCE, () -> used(budget) == 0);
  }

  @Test
  void healthWatchesGiveBackTheirPlaces() throws IOException {
    streams(WATCH, new byte[0]);
    awaitUnused("grpc_streams");
    awaitUnused("request_memory_bytes");
    assertThat(refused("grpc_streams")).isZero();
  }

  @Test
  void quotaStreamsGiveBackTheirPlaces() throws IOException {
    streams(QUOTAS, new byte[] {10, 1, 'd'}); // the domain d
    awaitUnused("quota_streams");
    awaitUnused("quota_buckets");
    awaitUnused("request_memory_bytes");
    assertThat(refused("quota_streams")).isZero();
  }

  /** Ends streams in random ways, some of them by closing their connections. */
  private void streams(String path, byte[] message) throws IOException {
    for (int connection = 0; connection < 4; connection++) {
      try (var client = new RawHttp2(service.port())) {
        var open = new ArrayList<Integer>();
        for (int i = 0; i < ROUNDS / 4; i++) {
          int stream = client.post(path, "application/grpc");
          switch (random.nextInt(5)) {
            case 0 -> client.reset(stream);
            case 1 -> {
              client.data(stream, new byte[] {0, 0}, false);
              client.reset(stream);
            }
            case 2 -> {
              client.data(stream, RawHttp2.framed(message), true);
              if (random.nextBoolean()) client.reset(stream);
              else open.add(stream);
            }
            case 3 -> {
              client.data(stream, RawHttp2.framed(message), false);
              ping(client);
              client.data(stream, new byte[0], true);
              client.reset(stream);
            }
            default -> client.call(path, message, true);
          }
          while (open.size() > 8) client.reset(open.removeFirst());
        }
        if (random.nextBoolean()) ping(client);
      }
    }
  }

  private static void ping(RawHttp2 client) throws IOException {
    client.ping();
    while (!client.next().isPong()) {}
  }

  @Test
  void eventStreamsAndConnectionsGiveBackTheirPlaces() throws IOException {
    var open = new ArrayList<Socket>();
    for (int i = 0; i < ROUNDS; i++) {
      var socket = new Socket(InetAddress.getLoopbackAddress(), service.port());
      socket.setSoTimeout(30_000);
      var method = List.of("GET", "GET", "GET", "HEAD").get(random.nextInt(4));
      var request = method + " /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      if (random.nextBoolean()) assertThat(socket.getInputStream().read()).isEqualTo('H');
      if (random.nextInt(3) > 0) socket.close();
      else open.add(socket);
    }
    Eventually.holds("streams are open", PATIENCE, () -> used("event_streams") > 0);
    for (var socket : open) socket.close();
    awaitUnused("event_streams");
    // One is that of the request for the metrics.
    Eventually.holds("connections are given back", PATIENCE, () -> used("connections") <= 1);
    assertThat(refused("event_streams")).isZero();
  }
}
