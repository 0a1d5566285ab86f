package io.headgate.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Objects;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if {@code headgate.service.url} is set, so that a service decides requests. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Conditional(ConditionalOnService.OnService.class)
public @interface ConditionalOnService {
  /** Returns whether the address is to be set; false to match if it is not. */
  boolean value() default true;

  /** The condition. */
  final class OnService extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      var attributes =
          Objects.requireNonNull(
              metadata.getAnnotationAttributes(ConditionalOnService.class.getName()));
      var message = ConditionMessage.forCondition(ConditionalOnService.class);
      boolean used = !context.getEnvironment().getProperty("headgate.service.url", "").isBlank();
      return new ConditionOutcome(
          Objects.equals(attributes.get("value"), used),
          message.because("headgate.service.url is " + (used ? "set" : "not set")));
    }
  }
}
