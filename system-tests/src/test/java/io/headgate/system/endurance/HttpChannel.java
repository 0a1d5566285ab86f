package io.headgate.system.endurance;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** One connection for HTTP requests, which stays open. */
final class HttpChannel implements AutoCloseable {
  /** Longer than any call takes, so that reaching it means that there is no answer. */
  private static final long PATIENCE_MILLIS = 30_000;

  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

  /** A response. */
  record Answer(int status, String body) {
    /** Returns the value of the first field {@code id}. */
    String id() {
      var matcher = ID.matcher(body);
      if (!matcher.find()) throw new IllegalStateException("there is no id in " + body);
      return matcher.group(1);
    }

    /** Returns whether the store was late or unavailable: for a decision, or for what needs it. */
    boolean isFallback() {
      return status == 503
          || body.contains("\"source\":\"fallback\"")
          || (status == 429 && body.contains("\"source\":\"cache\""));
    }

    /** Returns this answer if its status is one of those expected; throws otherwise. */
    Answer expect(int... statuses) {
      for (int expected : statuses) {
        if (status == expected) return this;
      }
      throw new IllegalStateException("status %d: %s".formatted(status, body));
    }
  }

  private final HttpClientAgent client;
  private final int port;
  private final HttpVersion version;
  private final AtomicInteger opened = new AtomicInteger();

  HttpChannel(Vertx vertx, int port, HttpVersion version) {
    this.port = port;
    this.version = version;
    var options =
        new HttpClientOptions()
            .setProtocolVersion(version)
            .setHttp2ClearTextUpgrade(false)
            .setKeepAliveTimeout(0)
            .setHttp2KeepAliveTimeout(0);
    this.client =
        vertx
            .httpClientBuilder()
            .with(options)
            .with(
                new PoolOptions().setHttp1MaxSize(1).setHttp2MaxSize(1).setMaxWaitQueueSize(10_000))
            .withConnectHandler(connection -> opened.incrementAndGet())
            .build();
  }

  /** Begins a request whose response may last. */
  CompletionStage<HttpClientRequest> request(HttpMethod method, String path) {
    return client.request(options(method, path)).toCompletionStage();
  }

  private RequestOptions options(HttpMethod method, String path) {
    return new RequestOptions()
        .setMethod(method)
        .setHost("127.0.0.1")
        .setPort(port)
        .setURI(path)
        .putHeader("Content-Type", "application/json");
  }

  /** Sends a request with a body and returns its complete response. */
  CompletionStage<Answer> send(HttpMethod method, String path, String body) {
    return client
        .request(options(method, path).setIdleTimeout(PATIENCE_MILLIS))
        // The body is requested on the event loop, where none of it can arrive before.
        .compose(request ->
            request
                .send(Buffer.buffer(body))
                .compose(response ->
                    response
                        .body()
                        .map(read -> new Answer(response.statusCode(), read.toString()))))
        .toCompletionStage();
  }

  CompletionStage<Answer> post(String path, String body) {
    return send(HttpMethod.POST, path, body);
  }

  /** Returns whether requests share the connection at once; otherwise they wait for each other. */
  boolean isMultiplexed() {
    return version == HttpVersion.HTTP_2;
  }

  int opened() {
    return opened.get();
  }

  @Override
  public void close() {
    try {
      client.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("the client can't be closed", e);
    }
  }
}
