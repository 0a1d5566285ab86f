package io.headgate.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Limits the calls of a method, or of every public method of a class. An annotation of the method
 * replaces that of its class. May be the meta-annotation of other annotations.
 *
 * <p>A denied call throws {@link LimitExceededException}, or calls the {@link #fallback}. A method
 * that returns a {@code CompletionStage}, {@code Mono} or {@code Flux} is checked without blocking
 * its thread, and keeps concurrency slots until the result is complete. Calls within one object do
 * not pass its proxy and are not limited.
 */
@Documented
@Inherited
@Reflective(LimitedReflection.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Limited {
  /** Alias of {@link #rule}. */
  @AliasFor("rule")
  String value() default "";

  /**
   * The id of a rule, which alone decides. Or a limit: a rate such as {@code 100/1m}, for a token
   * bucket, or a limit as in a rule file, such as <code>{algorithm: concurrency, max: 5}</code>.
   */
  @AliasFor("value")
  String rule() default "";

  /**
   * A SpEL expression for the subject, such as {@code #userId} or {@code {user: #user.id, plan:
   * #user.plan}}. A map has the attributes of the subject; any other value is its {@code key}. If
   * empty, the subject has no attributes, so that all calls share one counter.
   */
  String key() default "";

  /**
   * A SpEL expression for the cost of the call, such as {@code #bytes}; if empty, the cost is 1.
   */
  String cost() default "";

  /**
   * The name of a method of the same class to call if the call is denied. It has the same
   * parameters, or these and a {@link LimitExceededException}, and the same type of result.
   */
  String fallback() default "";
}
