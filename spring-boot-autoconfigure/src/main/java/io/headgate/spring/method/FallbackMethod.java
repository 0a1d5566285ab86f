package io.headgate.spring.method;

import io.headgate.spring.LimitExceededException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * The method that is called instead of a denied one.
 *
 * @param takesException whether the last parameter is the exception
 */
record FallbackMethod(Method method, boolean takesException) {
  /**
   * Finds the method.
   *
   * @throws IllegalStateException if there is none with the required parameters and result
   */
  static FallbackMethod find(String name, Method limited, Class<?> type) {
    var parameters = limited.getParameterTypes();
    var extended = Arrays.copyOf(parameters, parameters.length + 1);
    extended[parameters.length] = LimitExceededException.class;
    var withException = ReflectionUtils.findMethod(type, name, extended);
    var method =
        withException == null ? ReflectionUtils.findMethod(type, name, parameters) : withException;
    if (method == null || !limited.getReturnType().isAssignableFrom(method.getReturnType())) {
      throw new IllegalStateException(
          "@Limited on %s.%s names the fallback '%s'; add a method of that name with the same parameters, or these and a LimitExceededException, that returns %s"
              .formatted(
                  type.getName(),
                  limited.getName(),
                  name,
                  limited.getReturnType().getSimpleName()));
    }
    ReflectionUtils.makeAccessible(method);
    return new FallbackMethod(method, withException != null);
  }

  @Nullable Object call(
      @Nullable Object target, @Nullable Object[] arguments, LimitExceededException denial)
      throws Throwable {
    var values = takesException ? Arrays.copyOf(arguments, arguments.length + 1) : arguments;
    if (takesException) values[arguments.length] = denial;
    try {
      return method.invoke(target, values);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
