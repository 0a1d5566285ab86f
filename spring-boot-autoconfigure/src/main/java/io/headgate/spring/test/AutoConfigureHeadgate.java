package io.headgate.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Adds the limits of the application to a test that loads a part of it, such as one with
 * {@code @WebMvcTest} or {@code @WebFluxTest}: the rules, the filter and {@link
 * io.headgate.spring.Limited}. Without it such a test has no limits.
 *
 * <p>Counters are in memory unless the test names a store. Tests that share a context share them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@PropertyMapping("headgate")
public @interface AutoConfigureHeadgate {
  /** The property {@code headgate.store}, which replaces that of the application. */
  String store() default "memory";

  /**
   * The property {@code headgate.service.url}, which replaces that of the application. None if
   * empty, so that a test does not need the service.
   */
  @PropertyMapping("service.url")
  String service() default "";
}
