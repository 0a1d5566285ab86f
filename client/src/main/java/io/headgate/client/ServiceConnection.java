package io.headgate.client;

import io.headgate.internal.http.BoundedBody;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Sends HTTP requests to the service over connections that are kept open. Follows no redirects and
 * repeats no request. Thread-safe.
 */
final class ServiceConnection implements AutoCloseable {
  /** More than a batch of 1,000 decisions with many limits each. */
  static final int MAX_RESPONSE = 8 << 20;

  private final ClientOptions options;
  private final HttpClient http;
  private final CallerRunsExecutor executor = new CallerRunsExecutor();
  private final DeadlineTimer deadlines = new DeadlineTimer();
  private final boolean hasAddress;
  private final ServiceHealth health = new ServiceHealth();

  ServiceConnection(ClientOptions options) {
    this.options = options;
    this.hasAddress = hasAddress(options.url());
    var builder =
        HttpClient.newBuilder()
            .executor(executor)
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
   * Sends a request. The stage completes on the thread that receives the response, which must not
   * be blocked.
   *
   * @param nanos how long the response may take, body included; then the request is cancelled and
   *     the stage fails with {@link TimeoutException}
   */
  CompletableFuture<ServiceReply> send(String method, String path, byte[] body, long nanos) {
    var request = HttpRequest.newBuilder(URI.create(options.url() + path));
    request.method(method, BodyPublishers.ofByteArray(body));
    if (body.length > 0) request.header("Content-Type", "application/json");
    options.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    // Completed with the last byte: the stage of the HTTP client continues on yet another thread.
    var reply = new CompletableFuture<ServiceReply>();
    expire(reply, System.nanoTime() + nanos);
    var sent =
        http.sendAsync(
            request.build(),
            head ->
                new BoundedBody<>(
                    MAX_RESPONSE,
                    reply,
                    bytes -> new ServiceReply(head.statusCode(), head.version(), bytes)));
    var unused =
        sent.whenComplete((response, failure) -> {
          if (failure != null) reply.completeExceptionally(failure);
        });
    return reply.whenComplete((response, failure) -> {
      if (failure instanceof TimeoutException) sent.cancel(true);
      if (failure != null || isServerError(response.status())) {
        health.failed(System.nanoTime());
      } else {
        health.succeeded();
      }
    });
  }

  /**
   * Fails a future at its deadline with {@link TimeoutException}, unless it is complete then.
   *
   * @param at the deadline, as {@link System#nanoTime}
   */
  void expire(CompletableFuture<?> future, long at) {
    deadlines.expire(future, at);
  }

  /**
   * Starts calls whose responses the calling thread is going to wait for. That thread sends them,
   * unless the host has a name: looking it up may take longer than the deadline.
   */
  <T> T blocking(Supplier<T> calls) {
    return hasAddress ? executor.blocking(calls) : calls.get();
  }

  /** Returns whether no name service is needed: an IP address, or the name of this host. */
  static boolean hasAddress(URI url) {
    String host = url.getHost();
    return host != null && (host.equals("localhost") || host.matches("[0-9.]+|\\[.*]"));
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
    executor.close();
    deadlines.close();
  }
}
