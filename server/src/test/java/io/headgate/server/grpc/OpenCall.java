package io.headgate.server.grpc;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A call of any method that sends any number of messages. */
final class OpenCall<Q, A> implements StreamObserver<A> {
  private static final long PATIENCE_SECONDS = 30;

  private final BlockingQueue<A> answers = new LinkedBlockingQueue<>();
  private final CompletableFuture<Status> ended = new CompletableFuture<>();
  private final StreamObserver<Q> asking;

  private OpenCall(ManagedChannel channel, MethodDescriptor<Q, A> method) {
    var open = method.toBuilder().setType(MethodType.BIDI_STREAMING).build();
    this.asking =
        ClientCalls.asyncBidiStreamingCall(channel.newCall(open, CallOptions.DEFAULT), this);
  }

  static <Q, A> OpenCall<Q, A> open(GrpcService service, MethodDescriptor<Q, A> method) {
    return new OpenCall<>(service.envoy.channel(), method);
  }

  OpenCall<Q, A> send(Q message) {
    asking.onNext(message);
    return this;
  }

  OpenCall<Q, A> end() {
    asking.onCompleted();
    return this;
  }

  /** Waits for the next response; empty if there is none. */
  @Nullable A answer() throws InterruptedException {
    return answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Returns the number of responses that were not read. */
  int answersLeft() {
    return answers.size();
  }

  /** Waits for the end of the call and returns its status. */
  Status status() throws Exception {
    return ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void onNext(A answer) {
    answers.add(answer);
  }

  @Override
  public void onError(Throwable problem) {
    ended.complete(Status.fromThrowable(problem));
  }

  @Override
  public void onCompleted() {
    ended.complete(Status.OK);
  }
}
