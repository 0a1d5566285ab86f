package io.headgate.server.trace;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** A running service that exports traces to a collector, with a client. */
final class TracedService implements AutoCloseable {
  private final RateLimiter limiter;
  private final Service service;
  private final HttpClient client = HttpClient.newHttpClient();

  TracedService(Optional<TraceSettings> traces, Store store, AccessControl access, Rule... rules) {
    this.limiter = RateLimiter.with(store, RuleSet.of(rules));
    var settings =
        new ServiceSettings(
            "127.0.0.1",
            0,
            access,
            ConnectionLimits.DEFAULT,
            TrustedProxies.NONE,
            Optional.empty(),
            traces,
            Duration.ofSeconds(5),
            Duration.ZERO,
            1);
    try {
      var repository = InMemoryRuleRepository.of(limiter.rules());
      // Long enough that no call exceeds it on a slow machine.
      var grpc = new GrpcSettings(Duration.ofSeconds(30));
      this.service =
          Service.start(settings, grpc, limiter, repository, new StoreMetrics(), Ticker.system());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  int port() {
    return service.port();
  }

  /**
   * @param headers name, value, name, value …
   * @return the status
   */
  int post(String path, String body, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) request.header(headers[i], headers[i + 1]);
    try {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  void stop() {
    service.close();
  }

  @Override
  public void close() {
    service.close();
    limiter.close();
    client.shutdownNow();
  }
}
