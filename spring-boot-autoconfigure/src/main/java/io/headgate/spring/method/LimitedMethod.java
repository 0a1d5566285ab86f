package io.headgate.spring.method;

import io.headgate.CheckResult;
import io.headgate.http.RequestChecker;
import io.headgate.rule.Request;
import io.headgate.spring.LimitExceededException;
import io.headgate.spring.Limited;
import java.lang.reflect.Method;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;

/** How the calls of one method are limited. Thread-safe. */
final class LimitedMethod {
  private final String name;
  private final String rule;
  private final CallExpressions expressions;
  private final RuleCheckers checkers;
  private final Optional<RequestChecker> inline;
  private final Optional<FallbackMethod> fallback;

  /**
   * Prepares a method.
   *
   * @throws IllegalStateException if the annotation is not valid
   */
  LimitedMethod(
      Limited limited, Method method, Class<?> type, RuleCheckers checkers, BeanFactory beans) {
    var specific = AopUtils.getMostSpecificMethod(method, type);
    this.name = type.getName() + "." + method.getName();
    this.rule = limited.rule().strip();
    if (rule.isEmpty()) {
      throw new IllegalStateException(
          "@Limited on %s names neither a rule nor a limit; write @Limited(\"100/1m\") or the id of a rule"
              .formatted(name));
    }
    this.expressions = new CallExpressions(limited, name, beans);
    this.checkers = checkers;
    this.inline =
        RuleCheckers.isLimit(rule)
            ? Optional.of(checkers.inline(rule, name, expressions.hasKey()))
            : Optional.empty();
    this.fallback =
        limited.fallback().isEmpty()
            ? Optional.empty()
            : Optional.of(FallbackMethod.find(limited.fallback(), specific, type));
  }

  RequestChecker checker() {
    return inline.isPresent() ? inline.get() : checkers.named(rule, name);
  }

  Request request(MethodInvocation call) {
    return expressions.request(call);
  }

  /** Calls the fallback or, if there is none, throws {@link LimitExceededException}. */
  @Nullable Object denied(MethodInvocation call, CheckResult result) throws Throwable {
    var denial = new LimitExceededException(name, result);
    if (fallback.isEmpty()) throw denial;
    return fallback.get().call(call.getThis(), call.getArguments(), denial);
  }
}
