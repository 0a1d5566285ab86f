package io.headgate.spring.method;

import io.headgate.spring.LimitExceededException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

/**
 * The method that is called instead of a denied one.
 *
 * @param takesException whether it has the exception as its last parameter
 * @param suspending whether it is a suspending function, whose continuation follows the parameters
 */
record FallbackMethod(Method method, boolean takesException, boolean suspending) {
  /**
   * Finds the method.
   *
   * @throws IllegalStateException if there is none with the required parameters and result
   */
  static FallbackMethod find(String name, Method limited, Class<?> type) {
    boolean suspending = KotlinDetector.isSuspendingFunction(limited);
    List<Class<?>> parameters = Arrays.asList(limited.getParameterTypes());
    var extended =
        FallbackMethod.<Class<?>>with(LimitExceededException.class, parameters, suspending);
    var withException = ReflectionUtils.findMethod(type, name, extended.toArray(Class<?>[]::new));
    var method =
        withException == null
            ? ReflectionUtils.findMethod(type, name, limited.getParameterTypes())
            : withException;
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
    return new FallbackMethod(method, withException != null, suspending);
  }

  private static <T extends @Nullable Object> List<T> with(
      T exception, List<T> values, boolean suspending) {
    var all = new ArrayList<T>(values);
    all.add(suspending ? values.size() - 1 : values.size(), exception);
    return all;
  }

  /** Calls the method. Returns a publisher if it is a suspending function. */
  @Nullable Object call(
      @Nullable Object target, @Nullable Object[] arguments, LimitExceededException denial)
      throws Throwable {
    var values =
        takesException
            ? FallbackMethod.<@Nullable Object>with(denial, Arrays.asList(arguments), suspending)
                .toArray()
            : arguments;
    return AopUtils.invokeJoinpointUsingReflection(target, method, values);
  }
}
