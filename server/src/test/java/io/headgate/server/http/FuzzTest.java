package io.headgate.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.testkit.TestEffort;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Thousands of mutated requests: the service never fails and never leaves one unanswered. */
class FuzzTest {
  private static final long SEED = 20_260_913;

  private static final List<String> PATHS =
      List.of(
          "/v1/check",
          "/v1/check/batch",
          "/v1/peek",
          "/v1/explain",
          "/v1/slots",
          "/v1/reset",
          "/v1/playground",
          "/v1/what-if",
          "/api/ratelimit/check");

  private static final List<String> SEEDS =
      List.of(
          "{\"key\":\"user:42\"}",
          "{\"key\":\"user:42\",\"cost\":3,\"costs\":{\"bytes\":512},\"wait\":false}",
          "{\"subject\":{\"user\":\"42\",\"path\":\"/login\",\"n\":7,\"beta\":true},\"cost\":1}",
          "{\"checks\":[{\"key\":\"user:42\"},{\"subject\":{\"job\":\"x\"},\"cost\":2}]}",
          "{\"key\":\"user:42\",\"rule\":\"per-user\"}",
          "{\"key\":\"user:1\",\"tokensRequested\":1}",
          "{\"durationMs\":9,\"traffic\":{\"kind\":\"drawn\",\"drawn\":[1]},\"limits\":[{\"limit\":{\"algorithm\":\"token-bucket\",\"rate\":\"1/1s\"}}]}",
          "{\"rules\":\"rules: []\",\"replace\":null,\"source\":{\"kind\":\"log\",\"text\":\"{\\\"ts\\\":1}\",\"key\":\"{ip}\"}}",
          "{\"subject\":{\"\\u00fcser\":\"\\ud83d\\ude00 \u00e9\u4e2d\"}}");

  private static final List<String> PIECES =
      List.of(
          "\"",
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\\",
          "\\u0000",
          "\\ud800",
          "null",
          "true",
          "-1",
          "1e999",
          "9223372036854775808",
          "NaN",
          "\"cost\":",
          "\"key\":\"a\",",
          "\u0000",
          "\n",
          "\u00ff",
          "\"wait\":true",
          "[[[[",
          "{\"a\":{\"b\":{\"c\":{\"d\":1}}}}",
          "/**/",
          "'");

  private static final RunningService SERVICE =
      RunningService.with(
          Rule.named("per-user")
              .match("key", "user:*")
              .limit(RuleLimit.of("calls", TokenBucket.of(Rate.perSecond(5)).withBurst(50)))
              .limit(
                  RuleLimit.of("bytes", TokenBucket.of(Rate.perSecond(99)).withBurst(999))
                      .withCost("bytes"))
              .build(),
          Rule.named("jobs").match("job", "*").limit(Concurrency.of(3)).build(),
          Rule.named("line")
              .limit(
                  LeakyBucket.of(Rate.of(1_000_000, java.time.Duration.ofSeconds(1))).withQueue(5))
              .build());

  private final Random random = new Random(SEED);

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  @Test
  void mutatedBodiesAreAnsweredAndKeepTheConnection() {
    try (var one = SERVICE.connect();
        var other = SERVICE.connect()) {
      for (int i = 0; i < TestEffort.of(1_500, 4_000); i++) {
        var connection = random.nextBoolean() ? one : other;
        String path = pick(PATHS);
        byte[] body = mutated(pick(SEEDS).getBytes(UTF_8));
        var answer = connection.post(path, body);
        assertThat(answer.status())
            .as("%s %s: %s", path, new String(body, UTF_8), answer.body())
            .isIn(200, 400, 404, 429);
        assertThat(answer.body()).startsWith("{").endsWith("}");
        assertThat(answer.mediaType())
            .isEqualTo(
                answer.status() == 400 || answer.status() == 404
                    ? "application/problem+json"
                    : "application/json");
      }
      assertThat(one.request("GET", "/health/live").status()).isEqualTo(200);
    }
  }

  @Test
  void mutatedRequestsAreAnsweredOrDisconnected() {
    String seed =
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Accept: application/problem+json\r\nContent-Length: 17\r\n\r\n{\"key\":\"user:42\"}";
    for (int i = 0; i < TestEffort.of(300, 600); i++) {
      byte[] request = mutated(seed.getBytes(UTF_8));
      try (var connection = SERVICE.connect()) {
        connection.send(request);
        connection.endOfRequests();
        assertThat(connection.readToTheEnd())
            .as(new String(request, UTF_8))
            .matches(FuzzTest::isAnswerOrNone)
            .doesNotContain("HTTP/1.1 500", "Exception");
      } catch (UncheckedIOException e) {
        // Disconnected while still sending. An unanswered request would be a timeout instead:
        assertThat(e.getCause()).isNotInstanceOf(java.net.SocketTimeoutException.class);
      }
    }
    assertThat(SERVICE.request("GET", "/health/live").status()).isEqualTo(200);
  }

  /** The status line repeats the protocol of the request, which may be a mutated one. */
  private static boolean isAnswerOrNone(String text) {
    return text.isEmpty() || text.lines().findFirst().orElseThrow().matches("\\S+ [1-5]\\d\\d .+");
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private byte[] mutated(byte[] seed) {
    byte[] bytes = seed;
    for (int times = random.nextInt(4); times >= 0; times--) {
      int at = random.nextInt(bytes.length + 1);
      int to = Math.min(bytes.length, at + random.nextInt(8));
      bytes =
          switch (random.nextInt(7)) {
            case 0 -> spliced(bytes, at, at, pick(PIECES).getBytes(UTF_8));
            case 1 -> spliced(bytes, at, to, new byte[0]);
            case 2 -> spliced(bytes, at, to, pick(PIECES).getBytes(UTF_8));
            case 3 -> spliced(bytes, at, at, new byte[] {(byte) random.nextInt(256)});
            case 4 -> spliced(bytes, at, Math.min(bytes.length, at + 1), noise(1));
            case 5 -> spliced(bytes, at, bytes.length, new byte[0]);
            default -> spliced(bytes, at, at, java.util.Arrays.copyOfRange(bytes, 0, to));
          };
      if (bytes.length == 0) return bytes;
    }
    return bytes;
  }

  private byte[] noise(int length) {
    var noise = new byte[length];
    random.nextBytes(noise);
    return noise;
  }

  private static byte[] spliced(byte[] bytes, int from, int to, byte[] between) {
    var out = new ByteArrayOutputStream();
    out.write(bytes, 0, from);
    out.writeBytes(between);
    out.write(bytes, to, bytes.length - to);
    return out.toByteArray();
  }
}
