package io.headgate.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects the body of a response, and fails as soon as it is longer than a maximum. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final int max;
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private final ByteArrayOutputStream received = new ByteArrayOutputStream(1_024);
  private Flow.@Nullable Subscription subscription;

  BoundedBody(int max) {
    this.max = max;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (body.isDone()) return;
    for (var buffer : buffers) {
      if (received.size() + buffer.remaining() > max) {
        if (subscription != null) subscription.cancel();
        body.completeExceptionally(
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
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(received.toByteArray());
  }
}
