package io.headgate.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** Registers limited methods and their fallbacks, which a native image has to keep. */
final class LimitedReflection implements ReflectiveProcessor {
  @Override
  public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
    var limited = AnnotatedElementUtils.findMergedAnnotation(element, Limited.class);
    if (limited == null) return;
    var type = element instanceof Method method ? method.getDeclaringClass() : (Class<?>) element;
    if (element instanceof Method method) hints.registerMethod(method, ExecutableMode.INVOKE);
    if (limited.fallback().isEmpty()) return;
    for (var method : ReflectionUtils.getAllDeclaredMethods(type)) {
      if (method.getName().equals(limited.fallback())) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
      }
    }
  }
}
