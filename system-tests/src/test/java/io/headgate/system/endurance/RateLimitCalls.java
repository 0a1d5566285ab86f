package io.headgate.system.endurance;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Envoy's rate limit calls, unary over one HTTP/2 connection. */
final class RateLimitCalls implements Calls {
  private static final long DEADLINE_SECONDS = 30;

  private final ManagedChannel channel;
  private final RateLimitServiceGrpc.RateLimitServiceStub stub;

  RateLimitCalls(ManagedChannel channel) {
    this.channel = channel;
    this.stub = RateLimitServiceGrpc.newStub(channel);
  }

  @Override
  public CompletionStage<Reply> call(SplittableRandom random) {
    var key = Keys.any(random);
    boolean strict = key.equals(Keys.STRICT);
    var request = RateLimitRequest.newBuilder().setDomain("endurance");
    request.addDescriptorsBuilder().addEntriesBuilder().setKey("key").setValue(key);
    var reply = new CompletableFuture<Reply>();
    stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .shouldRateLimit(
            request.build(),
            new StreamObserver<>() {
              @Override
              public void onNext(RateLimitResponse response) {
                boolean admitted = response.getOverallCode() == Code.OK;
                reply.complete(Reply.of(admitted, false, true, strict));
              }

              @Override
              public void onError(Throwable failure) {
                reply.completeExceptionally(failure);
              }

              @Override
              public void onCompleted() {
                reply.completeExceptionally(new IllegalStateException("no message"));
              }
            });
    return reply;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
