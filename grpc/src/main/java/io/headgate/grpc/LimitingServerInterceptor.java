package io.headgate.grpc;

import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.Decision;
import io.headgate.rule.Request;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Limits the calls of a gRPC server. A call is decided and charged when it arrives, before its
 * first message. A denied call is closed with {@code RESOURCE_EXHAUSTED}, and {@code
 * google.rpc.RetryInfo} in its trailers unless waiting does not help. Slots of concurrency limits
 * are released when the call closes or is cancelled. Never blocks the thread of a call.
 *
 * {@snippet file="io/headgate/grpc/GrpcExamplesTest.java" region="server"}
 */
public final class LimitingServerInterceptor implements ServerInterceptor {
  private final CallLimiter limiter;
  private final CallSubject subject;

  private LimitingServerInterceptor(CallLimiter limiter, CallSubject subject) {
    this.limiter = limiter;
    this.subject = subject;
  }

  /** Creates an interceptor with {@link CallSubject#standard}. */
  public static LimitingServerInterceptor of(CallLimiter limiter) {
    return of(limiter, CallSubject.standard());
  }

  /**
   * Creates an interceptor.
   *
   * @param subject describes calls; if it throws, the call is closed with {@code INTERNAL}
   */
  public static LimitingServerInterceptor of(CallLimiter limiter, CallSubject subject) {
    return new LimitingServerInterceptor(limiter, subject);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    CompletionStage<Admission> admission;
    try {
      var request = subject.of(call.getMethodDescriptor(), headers, call.getAttributes());
      if (request.isEmpty()) return next.startCall(call, headers);
      admission = admit(request.get());
    } catch (RuntimeException e) {
      call.close(Status.INTERNAL.withDescription("the caller can't be determined"), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    var decided = new DecidedCall<>(call, headers, next);
    var future = admission.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      decided.decide(future.join(), Runnable::run);
    } else {
      // Completes on a thread of the store or of the client, which handlers must not block.
      admission.whenComplete((result, failure) -> {
        if (failure == null) decided.decide(result, Thread::startVirtualThread);
        else decided.refuse(DenialStatus.undecided(failure), new Metadata());
      });
    }
    return decided;
  }

  private CompletionStage<Admission> admit(Request request) {
    try {
      return limiter.admit(request);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** A call whose events wait until it is decided. */
  private static final class DecidedCall<Q, R> extends ServerCall.Listener<Q> {
    private final ServerCall<Q, R> call;
    private final Metadata headers;
    private final ServerCallHandler<Q, R> next;
    private final Context context = Context.current();
    private final EventBuffer events = new EventBuffer();
    private volatile boolean cancelled;
    private ServerCall.Listener<Q> listener = new ServerCall.Listener<>() {};
    private CallSlots slots = new CallSlots(Optional.empty());

    DecidedCall(ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      this.call = call;
      this.headers = headers;
      this.next = next;
    }

    /**
     * Starts or refuses the call.
     *
     * @param executor runs the start and the events that wait for it
     */
    void decide(Admission admission, Executor executor) {
      var denial = DenialStatus.of(admission);
      if (denial.isPresent()) {
        refuse(denial.get());
        return;
      }
      long delay =
          admission.decision() instanceof Decision.Delayed delayed ? delayed.delay().toNanos() : 0;
      Runnable start = () -> events.open(() -> start(admission));
      if (delay == 0) {
        executor.execute(start);
      } else {
        CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS, Thread::startVirtualThread)
            .execute(start);
      }
    }

    private void refuse(StatusRuntimeException denial) {
      var trailers = denial.getTrailers();
      refuse(denial.getStatus(), trailers == null ? new Metadata() : trailers);
    }

    void refuse(Status status, Metadata trailers) {
      events.open(() -> {
        if (!cancelled) call.close(status, trailers);
      });
    }

    private void start(Admission admission) {
      slots = new CallSlots(admission.slots());
      if (cancelled) {
        slots.cancelled();
        return;
      }
      var releasing =
          new SimpleForwardingServerCall<Q, R>(call) {
            @Override
            public void close(Status status, Metadata trailers) {
              slots.closed(status);
              super.close(status, trailers);
            }
          };
      try {
        context.run(() -> listener = next.startCall(releasing, headers));
      } catch (RuntimeException e) {
        releasing.close(Status.UNKNOWN.withCause(e), new Metadata());
      }
    }

    @Override
    public void onMessage(Q message) {
      events.run(() -> context.run(() -> listener.onMessage(message)));
    }

    @Override
    public void onHalfClose() {
      events.run(() -> context.run(() -> listener.onHalfClose()));
    }

    @Override
    public void onReady() {
      events.run(() -> context.run(() -> listener.onReady()));
    }

    @Override
    public void onCancel() {
      cancelled = true;
      events.run(() -> {
        try {
          context.run(() -> listener.onCancel());
        } finally {
          slots.cancelled();
        }
      });
    }

    @Override
    public void onComplete() {
      events.run(() -> {
        try {
          context.run(() -> listener.onComplete());
        } finally {
          slots.cancelled();
        }
      });
    }
  }
}
