package io.headgate.spring.method;

import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches methods with the annotation. */
final class LimitedPointcut extends StaticMethodMatcherPointcut {
  @Override
  public boolean matches(Method method, Class<?> targetClass) {
    return LimitedAnnotations.find(method, targetClass) != null;
  }
}
