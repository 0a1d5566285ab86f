package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChecksTest {
  @Test
  void smoke() {
    try (var service = RunningService.with(Rule.named("per-user").match("key", "user:*").limit(TokenBucket.of(Rate.perMinute(2))).build())) {
      System.out.println(service.post("/v1/check", "{\"key\":\"user:42\"}"));
      System.out.println(service.post("/v1/check", "{\"key\":\"user:42\"}"));
      System.out.println(service.post("/v1/check", "{\"key\":\"user:42\"}"));
      System.out.println(service.post("/v1/check", "{\"key\":\"user:42\"}", "Accept: application/problem+json"));
      System.out.println(service.request("GET", "/"));
      System.out.println(service.request("HEAD", "/"));
      System.out.println(service.request("OPTIONS", "/v1/check"));
      System.out.println(service.request("GET", "/v1/check"));
      System.out.println(service.request("GET", "/nix"));
      System.out.println(service.post("/v1/explain", "{\"key\":\"user:42\"}"));
      try (var c = service.connect()) {
        c.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".getBytes());
        System.out.println(c.read());
      }
      try (var c = service.connect()) {
        c.send("P\0ST /v1/check\r\n\r\n".getBytes());
        System.out.println(c.read());
      }
      try (var c = service.connect()) {
        System.out.println(c.post("/v1/check", "x".repeat(10_000_000)));
        System.out.println(c.post("/v1/check", "x".repeat(100_000)));
        System.out.println(c.post("/v1/check", "{\"key\":\"user:42\",\"cost\":NaN}"));
        System.out.println(c.post("/v1/check", "{\"key\":\"user:42\",\"cost\":5}"));
      }
    }
  }
}
