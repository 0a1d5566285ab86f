package io.headgate.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Calls an application on the loopback interface. */
public final class HttpCalls implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port;

  public HttpCalls(int port) {
    this.port = port;
  }

  public CompletableFuture<HttpResponse<String>> start(String path, String... headers) {
    return client.sendAsync(request(path, headers).GET().build(), text());
  }

  public HttpResponse<String> get(String path, String... headers) {
    return start(path, headers).join();
  }

  public HttpResponse<String> post(String path, String json)
      throws IOException, InterruptedException {
    var body = HttpRequest.BodyPublishers.ofString(json);
    return client.send(
        request(path, "Content-Type", "application/json").POST(body).build(), text());
  }

  private static HttpResponse.BodyHandler<String> text() {
    return HttpResponse.BodyHandlers.ofString();
  }

  private HttpRequest.Builder request(String path, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
    return headers.length == 0 ? request : request.headers(headers);
  }

  public static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse(null);
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
