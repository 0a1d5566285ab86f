package io.headgate.spring.method;

import io.headgate.spring.Limited;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the annotation of a method, composed annotations included. */
final class LimitedAnnotations {
  /**
   * Returns the annotation of the method or, for a public method, of its class.
   *
   * @param type the class of the object that is called
   * @return null if there is none
   */
  static @Nullable Limited find(Method method, Class<?> type) {
    var specific = AopUtils.getMostSpecificMethod(method, type);
    var own = AnnotatedElementUtils.findMergedAnnotation(specific, Limited.class);
    if (own != null) return own;
    if (specific.getDeclaringClass() == Object.class) return null;
    return Modifier.isPublic(specific.getModifiers())
        ? AnnotatedElementUtils.findMergedAnnotation(type, Limited.class)
        : null;
  }

  private LimitedAnnotations() {}
}
