package io.headgate.spring.method;

import io.headgate.CheckResult;
import io.headgate.http.HeldSlots;
import io.headgate.http.RequestOutcome;
import io.headgate.load.CallOutcome;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/** Checks calls before they are made. Thread-safe. */
final class LimitedInterceptor implements MethodInterceptor {
  private static final boolean REACTOR =
      ClassUtils.isPresent(
          "reactor.core.publisher.Mono", LimitedInterceptor.class.getClassLoader());

  private static final boolean COROUTINES =
      REACTOR
          && ClassUtils.isPresent(
              "kotlinx.coroutines.reactor.MonoKt", LimitedInterceptor.class.getClassLoader());

  private record Target(Method method, Class<?> type) {}

  private final Supplier<RuleCheckers> checkers;
  private final BeanFactory beans;
  private final Map<Target, LimitedMethod> methods = new ConcurrentHashMap<>();

  /**
   * @param checkers called by the first call, since advice is created before the beans it needs
   */
  LimitedInterceptor(Supplier<RuleCheckers> checkers, BeanFactory beans) {
    this.checkers = checkers;
    this.beans = beans;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    var method = call.getMethod();
    var object = call.getThis();
    Class<?> type = object == null ? method.getDeclaringClass() : AopUtils.getTargetClass(object);
    var limited = methods.computeIfAbsent(new Target(method, type), this::prepare);
    if (KotlinDetector.isSuspendingFunction(method)) {
      return ReactiveCalls.invokeSuspending(limited, (ProxyMethodInvocation) call);
    }
    var result = method.getReturnType();
    if (REACTOR && ReactiveCalls.isReactive(result)) {
      return ReactiveCalls.invoke(limited, (ProxyMethodInvocation) call, result);
    }
    boolean future =
        CompletionStage.class.isAssignableFrom(result)
            && result.isAssignableFrom(CompletableFuture.class);
    return future ? invokeAsync(limited, (ProxyMethodInvocation) call) : invokeNow(limited, call);
  }

  private LimitedMethod prepare(Target target) {
    if (!COROUTINES && KotlinDetector.isSuspendingFunction(target.method)) {
      throw new IllegalStateException(
          "@Limited on %s.%s: a suspending function needs org.jetbrains.kotlinx:kotlinx-coroutines-reactor on the class path; add the dependency"
              .formatted(target.type.getName(), target.method.getName()));
    }
    var annotation = LimitedAnnotations.find(target.method, target.type);
    return new LimitedMethod(
        Objects.requireNonNull(annotation), target.method, target.type, checkers.get(), beans);
  }

  private static @Nullable Object invokeNow(LimitedMethod limited, MethodInvocation call)
      throws Throwable {
    var checker = limited.checker();
    var result = checker.check(limited.request(call));
    if (!result.isAllowed()) return limited.denied(call, result);
    var slots = checker.slots(result);
    try {
      if (!result.delay().isZero()) Thread.sleep(result.delay());
      var value = call.proceed();
      if (slots != null) slots.release(CallOutcome.SUCCESS);
      return value;
    } catch (Throwable e) {
      if (slots != null) slots.release(RequestOutcome.ofException(e));
      throw e;
    }
  }

  private static CompletableFuture<@Nullable Object> invokeAsync(
      LimitedMethod limited, ProxyMethodInvocation call) {
    var later = call.invocableClone();
    try {
      var checker = limited.checker();
      return checker
          .checkAsync(limited.request(later))
          .<@Nullable Object>thenCompose(
              result -> proceed(limited, later, result, checker.slots(result)))
          .toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletionStage<@Nullable Object> proceed(
      LimitedMethod limited, MethodInvocation call, CheckResult result, @Nullable HeldSlots slots) {
    if (!result.isAllowed()) return stage(() -> limited.denied(call, result));
    if (result.delay().isZero()) return held(stage(call::proceed), slots);
    var timer = CompletableFuture.delayedExecutor(result.delay().toNanos(), TimeUnit.NANOSECONDS);
    return CompletableFuture.runAsync(() -> {}, timer)
        .thenCompose(unused -> held(stage(call::proceed), slots));
  }

  private interface Call {
    @Nullable Object proceed() throws Throwable;
  }

  @SuppressWarnings("unchecked")
  private static CompletionStage<@Nullable Object> stage(Call call) {
    try {
      var stage = (CompletionStage<@Nullable Object>) call.proceed();
      return stage == null ? CompletableFuture.completedFuture(null) : stage;
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletionStage<@Nullable Object> held(
      CompletionStage<@Nullable Object> stage, @Nullable HeldSlots slots) {
    if (slots == null) return stage;
    return stage.whenComplete((value, problem) ->
        slots.releaseAsync(
            problem == null ? CallOutcome.SUCCESS : RequestOutcome.ofException(problem)));
  }
}
