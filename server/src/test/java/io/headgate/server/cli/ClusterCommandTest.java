package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The command against answers of a member, which no other test brings about. */
class ClusterCommandTest extends Shell {
  private void show(boolean majority, boolean unavailable) throws IOException {
    var body =
        """
        {"status":"ready","rules":1,"store":{"kind":"cluster","unavailable":%s,%s
        "cluster":{"majority":%s,"expected":3,"partitions":257,"unowned":0,"unbacked":0,
        "members":[{"id":1,"address":"10.0.0.1:1","self":true,"owned":257,"backed":0}],
        "unreachable":[]}},"repository":{}}
        """
            .formatted(
                unavailable,
                unavailable ? "\"problem\":\"no answer from the cluster within 10 s\"," : "",
                majority)
            .getBytes(StandardCharsets.UTF_8);
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/health/ready",
        exchange -> {
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          try (var out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
    try {
      environment.put("HEADGATE_URL", "http://127.0.0.1:" + server.getAddress().getPort());
      run("cluster");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aMajorityThatDecidesIsWell() throws IOException {
    show(true, false);
    assertThat(out).startsWith("1 of 3 members, a majority: they decide\n");
    assertThat(code).isZero();
  }

  @Test
  void aMajorityWhoseChecksFailIsSaidToDecideNothing() throws IOException {
    show(true, true);
    assertThat(out)
        .startsWith("1 of 3 members, a majority, but checks fail: failure policies decide\n")
        .contains("\n  no answer from the cluster within 10 s\n");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void noMajorityIsSaidWithItsReason() throws IOException {
    show(false, true);
    assertThat(out).startsWith("1 of 3 members, no majority: failure policies decide\n");
    assertThat(code).isEqualTo(1);
  }
}
