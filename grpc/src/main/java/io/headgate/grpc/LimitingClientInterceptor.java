package io.headgate.grpc;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.headgate.Decision;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limits the calls of a gRPC client, so that all its instances together stay below a limit. A
 * denied call is not sent and fails with {@code RESOURCE_EXHAUSTED} and {@code
 * google.rpc.RetryInfo}, as if the server had denied it. Slots of concurrency limits are released
 * when the call ends. Never blocks.
 *
 * {@snippet file="io/headgate/grpc/GrpcExamplesTest.java" region="client"}
 */
public final class LimitingClientInterceptor implements ClientInterceptor {
  private final CallLimiter limiter;
  private final Function<MethodDescriptor<?, ?>, Subject> subject;

  private LimitingClientInterceptor(
      CallLimiter limiter, Function<MethodDescriptor<?, ?>, Subject> subject) {
    this.limiter = limiter;
    this.subject = subject;
  }

  /** Creates an interceptor; calls have the attributes {@code service} and {@code method}. */
  public static LimitingClientInterceptor of(CallLimiter limiter) {
    return of(limiter, CallSubject::named);
  }

  /**
   * Creates an interceptor.
   *
   * @param subject describes calls by their method
   */
  public static LimitingClientInterceptor of(
      CallLimiter limiter, Function<MethodDescriptor<?, ?>, Subject> subject) {
    return new LimitingClientInterceptor(limiter, subject);
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return new DecidedCall<>(
        next.newCall(method, options), Request.of(subject.apply(method)), limiter);
  }

  /** A call whose actions wait until it is decided. */
  private static final class DecidedCall<Q, R> extends ClientCall<Q, R> {
    private final ClientCall<Q, R> call;
    private final Request request;
    private final CallLimiter limiter;
    private final EventBuffer actions = new EventBuffer();
    private boolean refused; // written before the buffer opens
    private volatile @Nullable String cancelled;

    DecidedCall(ClientCall<Q, R> call, Request request, CallLimiter limiter) {
      this.call = call;
      this.request = request;
      this.limiter = limiter;
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      limiter
          .admit(request)
          .whenComplete((admission, failure) -> {
            if (failure == null) decide(admission, listener, headers);
            else refuse(listener, DenialStatus.undecided(failure), new Metadata());
          });
    }

    private void decide(Admission admission, Listener<R> listener, Metadata headers) {
      var denial = DenialStatus.of(admission);
      if (denial.isPresent()) {
        var trailers = denial.get().getTrailers();
        refuse(listener, denial.get().getStatus(), trailers == null ? new Metadata() : trailers);
        return;
      }
      var delay =
          admission.decision() instanceof Decision.Delayed delayed
              ? delayed.delay()
              : Duration.ZERO;
      Runnable start =
          () -> actions.open(() -> start(new CallSlots(admission.slots()), listener, headers));
      if (delay.isZero()) {
        start.run();
      } else {
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(start);
      }
    }

    private void start(CallSlots slots, Listener<R> listener, Metadata headers) {
      var reason = cancelled;
      if (reason != null) {
        slots.cancelled();
        refused = true;
        listener.onClose(Status.CANCELLED.withDescription(reason), new Metadata());
        return;
      }
      call.start(
          new SimpleForwardingClientCallListener<R>(listener) {
            @Override
            public void onClose(Status status, Metadata trailers) {
              if (status.getCode() == Status.Code.CANCELLED) slots.cancelled();
              else slots.closed(status);
              super.onClose(status, trailers);
            }
          },
          headers);
    }

    private void refuse(Listener<R> listener, Status status, Metadata trailers) {
      actions.open(() -> {
        refused = true;
        listener.onClose(status, trailers);
      });
    }

    private void unlessRefused(Runnable action) {
      actions.run(() -> {
        if (!refused) action.run();
      });
    }

    @Override
    public void request(int messages) {
      unlessRefused(() -> call.request(messages));
    }

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {
      cancelled = Optional.ofNullable(message).orElse("cancelled by the client");
      unlessRefused(() -> call.cancel(message, cause));
    }

    @Override
    public void halfClose() {
      unlessRefused(call::halfClose);
    }

    @Override
    public void sendMessage(Q message) {
      unlessRefused(() -> call.sendMessage(message));
    }

    /** A stream must not be filled while its call waits for the decision. */
    @Override
    public boolean isReady() {
      return actions.isOpen() && !refused && call.isReady();
    }

    @Override
    public Attributes getAttributes() {
      return actions.isOpen() && !refused ? call.getAttributes() : Attributes.EMPTY;
    }

    @Override
    public void setMessageCompression(boolean enabled) {
      unlessRefused(() -> call.setMessageCompression(enabled));
    }
  }
}
