package io.headgate.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts two instances of the sample, with the class path of an application and a real Redis. */
class ShopApplicationTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final List<ConfigurableApplicationContext> SHOPS = new ArrayList<>();
  private static RedisServer redis;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    for (int i = 0; i < 2; i++) {
      SHOPS.add(
          SpringApplication.run(
              ShopApplication.class,
              "--server.port=0",
              "--server.address=127.0.0.1",
              "--spring.main.banner-mode=off",
              "--headgate.redis.deadline=2s",
              "--headgate.web.trusted-proxies=127.0.0.1",
              "--headgate.store=" + redis.uri()));
    }
  }

  @AfterAll
  static void stop() {
    SHOPS.forEach(ConfigurableApplicationContext::close);
    redis.close();
  }

  private static HttpRequest request(int shop, String method, String path, String client) {
    var port = SHOPS.get(shop).getEnvironment().getRequiredProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .method(method, HttpRequest.BodyPublishers.noBody())
        .header("X-Forwarded-For", client)
        .build();
  }

  private static HttpResponse<String> send(int shop, String method, String path, String client)
      throws IOException, InterruptedException {
    return CLIENT.send(request(shop, method, path, client), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void instancesShareTheLimitOfAClientExactly() {
    long start = System.nanoTime();
    var calls = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < 40; i++) {
      calls.add(
          CLIENT.sendAsync(
              request(i % 2, "GET", "/products", "192.0.2.1"),
              HttpResponse.BodyHandlers.ofString()));
    }
    var statuses = calls.stream().map(CompletableFuture::join).map(HttpResponse::statusCode);
    long allowed = statuses.filter(status -> status == 200).count();
    // The bucket has 10 permits and refills one in 6 s.
    long refilled = Math.ceilDiv(System.nanoTime() - start, 6_000_000_000L);
    assertThat(allowed).isBetween(10L, 10 + refilled);
  }

  @Test
  void instancesShareTheLimitOfAMethodExactly() throws Exception {
    for (int i = 0; i < 5; i++) {
      var path = "/customers/ann/invoices";
      assertThat(send(i % 2, "POST", path, "192.0.2.2").body()).isEqualTo("invoice for ann");
    }
    var denied = send(1, "POST", "/customers/ann/invoices", "192.0.2.2");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void fallbackAnswersInsteadOfTheMethod() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(send(0, "POST", "/customers/bob/mails", "192.0.2.3").body())
          .isEqualTo("sent to bob");
    }
    var denied = send(0, "POST", "/customers/bob/mails", "192.0.2.3");
    assertThat(denied.statusCode()).isEqualTo(200);
    assertThat(denied.body()).matches("not sent to bob, retry in \\d+ s");
  }

  @Test
  void actuatorShowsRulesAndHealth() throws Exception {
    assertThat(send(0, "GET", "/actuator/headgate", "192.0.2.4").body())
        .contains("\"id\":\"per-client\"", "\"id\":\"invoices\"", "redis at");
    assertThat(send(0, "GET", "/actuator/health", "192.0.2.4").body())
        .contains("\"headgate\":{", "\"status\":\"UP\"");
  }
}
