package io.headgate.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects the body of a response, and fails as soon as it is longer than a maximum. */
final class BoundedBody implements BodySubscriber<ServiceReply> {
  private final ResponseInfo head;
  private final int max;
  private final CompletableFuture<ServiceReply> reply;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream(1_024);
  private Flow.@Nullable Subscription subscription;

  /**
   * Creates a subscriber.
   *
   * @param reply completed with the response, or fails
   */
  BoundedBody(ResponseInfo head, int max, CompletableFuture<ServiceReply> reply) {
    this.head = head;
    this.max = max;
    this.reply = reply;
  }

  @Override
  public CompletionStage<ServiceReply> getBody() {
    return reply;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (reply.isDone()) return;
    for (var buffer : buffers) {
      if (received.size() + buffer.remaining() > max) {
        if (subscription != null) subscription.cancel();
        reply.completeExceptionally(
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
    reply.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    reply.complete(new ServiceReply(head.statusCode(), head.version(), received.toByteArray()));
  }
}
