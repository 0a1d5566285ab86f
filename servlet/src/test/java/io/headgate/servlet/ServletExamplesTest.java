package io.headgate.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The examples of the documentation. */
class ServletExamplesTest {
  private static final String RULES =
      """
      rules:
        - id: per-client
          match: { ip: "*" }
          limit: { algorithm: token-bucket, rate: 2/1m }
      """;

  @Test
  void filterOfTheDocumentation() throws Exception {
    // @start region="filter"
    var limiter = RateLimiter.inMemory(RuleFile.read(RULES));
    var subject =
        DefaultSubjectResolver.builder()
            .trustedProxies(TrustedProxies.of(List.of("10.0.0.0/8")))
            .header("X-Api-Key", "key")
            .build();
    var filter = HeadgateFilter.builder(limiter).subject(subject).build();
    // @end
    assertThat(statuses(filter)).containsExactly(200, 200, 429);
  }

  @Test
  void resolverOfTheDocumentation() throws Exception {
    var limiter = RateLimiter.inMemory(RuleFile.read(RULES.replace("ip", "tenant")));
    // @start region="resolver"
    SubjectResolver perTenant =
        request -> {
          var tenant = request.getHeader("X-Tenant");
          if (tenant == null || tenant.isEmpty()) return null; // not limited
          return Request.of(
              Subject.of("tenant", tenant), request.getMethod().equals("POST") ? 5 : 1);
        };
    var filter = HeadgateFilter.builder(limiter).subject(perTenant).build();
    // @end
    assertThat(statuses(filter)).containsExactly(200, 200, 200);
    assertThat(statuses(filter, "X-Tenant", "a")).containsExactly(200, 200, 429);
  }

  @Test
  void resolverRefusesAttributesThatAreSetTwice() {
    var builder = DefaultSubjectResolver.builder().header("X-Key", "key");
    assertThatThrownBy(() -> builder.header("X-Other", "key"))
        .hasMessage("attribute 'key' is set already; choose another name");
    assertThatThrownBy(() -> builder.header("X-Other", "ip"))
        .hasMessageContaining("is set already");
  }

  @Test
  void allowedRequestsCanBeLeftWithoutHeaders() throws Exception {
    var limiter = RateLimiter.inMemory(RuleFile.read(RULES));
    var filter = HeadgateFilter.builder(limiter).headersOnAllowed(false).build();
    try (var server = JettyServer.start(List.of(filter), new TestServlet());
        var client = HttpClient.newHttpClient()) {
      var uri = URI.create("http://127.0.0.1:" + server.port() + "/hello");
      var request = HttpRequest.newBuilder(uri).build();
      var first = client.send(request, HttpResponse.BodyHandlers.discarding());
      assertThat(first.headers().firstValue("RateLimit")).isEmpty();
      client.send(request, HttpResponse.BodyHandlers.discarding());
      var denied = client.send(request, HttpResponse.BodyHandlers.discarding());
      assertThat(denied.headers().firstValue("RateLimit")).isPresent();
    }
  }

  private static List<Integer> statuses(HeadgateFilter filter, String... headers) throws Exception {
    try (var server = TomcatServer.start(List.of(filter), new TestServlet());
        var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/hello"));
      if (headers.length > 0) request.headers(headers);
      var built = request.build();
      var first = client.send(built, HttpResponse.BodyHandlers.discarding()).statusCode();
      var second = client.send(built, HttpResponse.BodyHandlers.discarding()).statusCode();
      var third = client.send(built, HttpResponse.BodyHandlers.discarding()).statusCode();
      return List.of(first, second, third);
    }
  }
}
