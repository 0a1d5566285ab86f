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

/** A call that sends as many messages as it likes, of whichever method. */
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

  /** The next answer; none if none comes. */
  @Nullable A answer() throws InterruptedException {
    return answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** How many answers there were that nobody has asked for. */
  int answersLeft() {
    return answers.size();
  }

  /** How it ended; waits for it. */
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
