package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.MutationFuzzer;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import io.headgate.server.http.check.CheckField;
import io.headgate.server.http.check.CheckRequestReader;
import io.headgate.server.api.ClientAddress;
import io.headgate.server.http.check.ForwardAuthHeaders;
import io.headgate.server.http.check.NormalizedPath;
import io.headgate.server.http.simulation.PlaygroundReader;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TrustedProxies;
import io.headgate.server.http.simulation.WhatIfReader;

/** Mutated bodies and headers are read or refused with 4xx, and nothing else happens. */
class HttpInputFuzzTest {
  private static final TrustedProxies PROXIES = TrustedProxies.of(List.of("10.0.0.0/8"));
  private static final ClientAddress PROXY = ClientAddress.parse("10.0.0.1").orElseThrow();

  private static void accepted(Runnable read) {
    try {
      read.run();
    } catch (ProblemException e) {
      assertThat(e.problem().status()).isBetween(400, 499);
    }
  }

  @Test
  void bodies() {
    var seeds =
        List.of(
            "{\"subject\":{\"user\":\"42\",\"path\":\"/login\"},\"cost\":1,\"costs\":{\"bytes\":512}}",
            "{\"key\":\"user:\\u00e9\\ud83d\\ude00\",\"cost\":9007199254740992}",
            "{\"checks\":[{\"key\":\"a\"},{\"key\":\"b\",\"cost\":2}]}");
    MutationFuzzer.run(
        seeds,
        input -> {
          accepted(() -> CheckRequestReader.readOne(input, CheckField.OF_EXPLAIN));
          accepted(() -> CheckRequestReader.readOne(input, CheckField.OF_PEEK));
          accepted(() -> CheckRequestReader.readBatch(input));
          accepted(() -> WhatIfReader.read(input));
          accepted(() -> PlaygroundReader.read(input));
        });
  }

  @Test
  void headers() {
    var seeds =
        List.of(
            "X-Headgate-Key: user:42\nX-Original-URI: /a/../%6cogin;v=1?x\nX-Headgate-Cost: 3",
            "Forwarded: for=\"[2001:db8::1]:4711\";proto=http, for=10.0.0.2\nX-Headgate-Attr-Team: a",
            "X-Forwarded-For: 192.0.2.1, 10.0.0.3\nX-Real-IP: ::ffff:192.0.2.1\nHost: A.example:8080",
            "X-Headgate-Deny-Status: 403\nX-Headgate-Max-Wait-Ms: 500\nX-Headgate-Cost-Bytes: 1");
    MutationFuzzer.run(
        seeds,
        input -> {
          var headers = MultiMap.caseInsensitiveMultiMap();
          for (var line : new String(input, StandardCharsets.ISO_8859_1).split("\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) headers.add(line.substring(0, colon), line.substring(colon + 1).strip());
          }
          var caller = PROXIES.caller(PROXY, headers::getAll);
          assertThat(ClientAddress.parse(caller.toString())).contains(caller);
          accepted(() -> ForwardAuthHeaders.read(headers, caller));
          accepted(() -> ForwardAuthHeaders.denyStatus(headers));
          accepted(() -> ForwardAuthHeaders.maxWaitMillis(headers));
        });
  }

  @Test
  void paths() {
    MutationFuzzer.run(
        List.of("/a/../%6cogin;v=1?x=%2f", "//x/./y//..;/%2e%2e/z", "/é😀"),
        input -> {
          String uri = new String(input, StandardCharsets.UTF_8);
          accepted(() -> {
            String path = NormalizedPath.of(uri);
            assertThat(path).startsWith("/").doesNotContain("/../", "/./");
          });
        });
  }
}
