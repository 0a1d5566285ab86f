package io.headgate.internal.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects the body of a response, and fails as soon as it is longer than a maximum.
 *
 * @param <T> the type of the result
 */
public final class BoundedBody<T> implements BodySubscriber<T> {
  private final int max;
  private final CompletableFuture<T> result;
  private final Function<byte[], T> read;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream(1_024);
  private Flow.@Nullable Subscription subscription;

  /**
   * Creates a subscriber.
   *
   * @param max the longest body, in bytes
   * @param result completed with the result on the thread that receives the last byte, or fails
   * @param read makes the result from the body
   */
  public BoundedBody(int max, CompletableFuture<T> result, Function<byte[], T> read) {
    this.max = max;
    this.result = result;
    this.read = read;
  }

  /**
   * Sends a request whose response has at most {@code max} bytes and arrives completely within the
   * time-out of the request. The JDK's client applies that time-out to the head of the response
   * only, so that a body of a byte a second would never end.
   *
   * @return the response, or a failure: {@link HttpTimeoutException} or another {@link IOException}
   */
  public static CompletableFuture<HttpResponse<byte[]>> send(
      HttpClient http, HttpRequest request, int max) {
    var sent =
        http.sendAsync(
            request, head -> new BoundedBody<>(max, new CompletableFuture<>(), body -> body));
    var timeout = request.timeout();
    if (timeout.isEmpty()) return sent;
    return sent.copy()
        .orTimeout(timeout.get().toNanos(), TimeUnit.NANOSECONDS)
        .exceptionally(failure -> {
          if (failure instanceof CompletionException wrapped) throw wrapped;
          if (!(failure instanceof TimeoutException)) throw new CompletionException(failure);
          sent.cancel(true);
          throw new CompletionException(new HttpTimeoutException("the response is not complete"));
        });
  }

  @Override
  public CompletionStage<T> getBody() {
    return result;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (result.isDone()) return;
    for (var buffer : buffers) {
      if (received.size() + buffer.remaining() > max) {
        if (subscription != null) subscription.cancel();
        result.completeExceptionally(
            new IOException("the response is longer than %d bytes".formatted(max)));
        return;
      }
      var part = new byte[buffer.remaining()];
      buffer.get(part);
      received.writeBytes(part);
    }
  }

  @Override
  public void onError(Throwable failure) {
    result.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    result.complete(read.apply(received.toByteArray()));
  }
}
