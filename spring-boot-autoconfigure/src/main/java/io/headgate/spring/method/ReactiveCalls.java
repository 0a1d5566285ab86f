package io.headgate.spring.method;

import io.headgate.CheckResult;
import io.headgate.http.HeldSlots;
import io.headgate.http.RequestOutcome;
import io.headgate.load.CallOutcome;
import io.headgate.spring.web.ReactiveChecks;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.MethodParameter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Checks calls that return publishers, when they are subscribed to. */
final class ReactiveCalls {
  static boolean isReactive(Class<?> type) {
    return Mono.class.equals(type) || Flux.class.equals(type) || Publisher.class.equals(type);
  }

  /** Returns a publisher that is checked at each subscription. */
  static Object invoke(LimitedMethod limited, ProxyMethodInvocation call, Class<?> type) {
    if (Mono.class.equals(type)) {
      return Mono.defer(() -> Mono.from(checked(limited, call.invocableClone())));
    }
    return Flux.defer(() -> checked(limited, call.invocableClone()));
  }

  /**
   * Returns the publisher of a suspending function. Spring's proxy calls such a function as a
   * publisher, and awaits the one that is returned.
   */
  static Object invokeSuspending(LimitedMethod limited, ProxyMethodInvocation call) {
    var result = new MethodParameter(call.getMethod(), -1).getParameterType();
    boolean flow = result.getName().equals("kotlinx.coroutines.flow.Flow");
    return invoke(limited, call, flow ? Flux.class : Mono.class);
  }

  private static Publisher<Object> checked(LimitedMethod limited, MethodInvocation call) {
    var checker = limited.checker();
    return ReactiveChecks.check(checker, limited.request(call))
        .flatMapMany(result -> proceed(limited, call, result, checker.slots(result)));
  }

  private static Publisher<Object> proceed(
      LimitedMethod limited, MethodInvocation call, CheckResult result, @Nullable HeldSlots slots) {
    if (!result.isAllowed()) return publisher(() -> limited.denied(call, result));
    var rest = Flux.from(publisher(call::proceed));
    var delayed = result.delay().isZero() ? rest : Mono.delay(result.delay()).thenMany(rest);
    return slots == null ? delayed : held(delayed, slots);
  }

  private interface Call {
    @Nullable Object proceed() throws Throwable;
  }

  @SuppressWarnings("unchecked")
  private static Publisher<Object> publisher(Call call) {
    return Flux.defer(() -> {
      try {
        return (Publisher<Object>) Objects.requireNonNull(call.proceed(), "no publisher returned");
      } catch (Throwable e) {
        return Flux.error(e);
      }
    });
  }

  private static Flux<Object> held(Flux<Object> rest, HeldSlots slots) {
    var outcome = new AtomicReference<>(CallOutcome.SUCCESS);
    return rest.doOnError(problem -> outcome.set(RequestOutcome.ofException(problem)))
        .doFinally(signal ->
            slots.releaseAsync(signal == SignalType.CANCEL ? CallOutcome.DROPPED : outcome.get()));
  }

  private ReactiveCalls() {}
}
