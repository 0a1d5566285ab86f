package io.headgate.system.endurance;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Event streams: one over HTTP/1.1 that stays open, and short ones over one HTTP/2 connection. A
 * call is a short stream, which ends with its first event.
 */
final class EventStreams implements Calls {
  private static final long MAX_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final HttpChannel lasting;
  private final HttpChannel connection;
  private volatile long lastEvent = System.nanoTime();
  private volatile @Nullable Throwable end;

  EventStreams(Vertx vertx, int port) {
    this.connection = new HttpChannel(vertx, port, HttpVersion.HTTP_2);
    this.lasting = new HttpChannel(vertx, port, HttpVersion.HTTP_1_1);
    var unused =
        lasting
            .request(HttpMethod.GET, "/v1/stream")
            .thenCompose(request -> request.send().toCompletionStage())
            .whenComplete((response, failure) -> {
              if (failure != null) {
                end = failure;
                return;
              }
              response.handler(event -> lastEvent = System.nanoTime());
              response
                  .endHandler(
                      closed -> end = new IllegalStateException("status " + response.statusCode()))
                  .exceptionHandler(failed -> end = failed);
            });
  }

  @Override
  public CompletionStage<Reply> call(SplittableRandom random) {
    long silence = System.nanoTime() - lastEvent;
    var reason = end;
    if (reason != null) {
      return CompletableFuture.failedStage(
          new IllegalStateException("the open event stream has ended: " + reason));
    }
    if (silence > MAX_SILENCE_NANOS) {
      lastEvent = System.nanoTime(); // reported once
      return CompletableFuture.failedStage(
          new IllegalStateException("no event for %d ms".formatted(silence / 1_000_000)));
    }
    var first = new CompletableFuture<Reply>();
    var unused =
        connection
            .request(HttpMethod.GET, "/v1/stream")
            .thenCompose(request ->
                request
                    .send()
                    .onSuccess(response ->
                        response
                            .exceptionHandler(first::completeExceptionally)
                            .handler(event -> {
                              if (first.complete(Reply.DONE)) request.reset(8);
                            }))
                    .toCompletionStage())
            .whenComplete((response, failure) -> {
              if (failure != null) first.completeExceptionally(failure);
            });
    return first;
  }

  @Override
  public int connections() {
    return connection.opened();
  }

  @Override
  public void close() {
    connection.close();
    lasting.close();
  }
}
