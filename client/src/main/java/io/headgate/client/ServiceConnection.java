package io.headgate.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends HTTP requests to the service over connections that are kept open. Follows no redirects and
 * repeats no request. Thread-safe.
 */
final class ServiceConnection implements AutoCloseable {
  /** More than a batch of 1,000 decisions with many limits each. */
  static final int MAX_RESPONSE = 8 << 20;

  private final ClientOptions options;
  private final HttpClient http;
  private final ServiceHealth health = new ServiceHealth();

  ServiceConnection(ClientOptions options) {
    this.options = options;
    var builder =
        HttpClient.newBuilder()
            .version(version(options.url()))
            .connectTimeout(options.deadline().multipliedBy(2))
            .followRedirects(HttpClient.Redirect.NEVER);
    options.tls().ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  /**
   * The JDK's client can't start a cleartext connection with HTTP/2, only offer an upgrade, which
   * the service ignores. The offer would be repeated with every request.
   */
  private static HttpClient.Version version(URI url) {
    return "https".equals(url.getScheme())
        ? HttpClient.Version.HTTP_2
        : HttpClient.Version.HTTP_1_1;
  }

  /**
   * Sends a request.
   *
   * @param nanos how long the response may take, body included; then the request is cancelled and
   *     the stage fails with {@link TimeoutException}
   */
  CompletableFuture<HttpResponse<byte[]>> send(
      String method, String path, byte[] body, long nanos) {
    var request = HttpRequest.newBuilder(URI.create(options.url() + path));
    request.method(method, BodyPublishers.ofByteArray(body));
    if (body.length > 0) request.header("Content-Type", "application/json");
    options.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    var sent = http.sendAsync(request.build(), info -> new BoundedBody(MAX_RESPONSE));
    return sent.copy()
        .orTimeout(nanos, TimeUnit.NANOSECONDS)
        .whenComplete((response, failure) -> {
          if (failure instanceof TimeoutException) sent.cancel(true);
          if (failure != null || isServerError(response.statusCode())) {
            health.failed(System.nanoTime());
          } else {
            health.succeeded();
          }
        });
  }

  /** Status 503 is not one of them: it is also that of load shedding. */
  private static boolean isServerError(int status) {
    return status >= 500 && status != 503;
  }

  /** Returns whether the service was available lately, so that a request is worth its wait. */
  boolean isWorthAsking() {
    return health.permits(System.nanoTime());
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
